#include "berth/pipeline/put_layouts.h"

#include <utility>
#include <variant>

#include "berth/pipeline/lay_out.h"
#include "berth/reside/homes.h"

namespace berth {

Result<std::optional<BrokenPromise>> put_layouts(ResidencyAnswer& answer,
                                                 const Deployment& deployment, const Target& target,
                                                 const DeploymentDemand& demand) {
  if (!answer.plan.feasible()) return std::nullopt;
  auto layouts = lay_out(deployment, target, demand, answer.plan);
  if (!layouts) return tl::unexpected(layouts.error());
  if (auto* broken = std::get_if<BrokenPromise>(&*layouts)) return std::move(*broken);
  answer.layouts = std::get<Layouts>(*std::move(layouts));
  // Who found no place lives below, and takes room there.
  if (const auto forced = forced_out_of(answer); !forced.empty()) {
    put_home_obstacles(answer.plan, deployment, target, demand, forced);
  }
  for (std::size_t i = 0; i < answer.layouts.size(); ++i) {
    for (const Layout& layout : answer.layouts[i]) {
      if (layout.fits) continue;
      answer.plan.obstacles.push_back({.kind = Obstacle::Kind::NoLayout,
                                       .program = deployment.programs[i].name,
                                       .chip = layout.chip,
                                       .needed = layout.arena,
                                       .available = layout.room});
    }
  }
  return std::nullopt;
}

}  // namespace berth
