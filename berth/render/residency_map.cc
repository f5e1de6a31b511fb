#include "berth/render/residency_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/render/map_style.h"
#include "berth/render/residency_table.h"
#include "berth/render/state_ladder.h"
#include "berth/render/svg.h"
#include "berth/render/text.h"
#include "berth/render/tier_map.h"

namespace berth {
namespace {

constexpr Length kWidth = 1080 * kPixel;
constexpr std::size_t kMostLadders = 16;
constexpr std::size_t kMostMaps = 12;

constexpr std::string_view kTiers =
    ".berth .sram{fill:#44bb99}.berth .held{fill:var(--crumb)}"
    ".berth .room{fill:none;stroke:#44bb99;stroke-width:1}"
    ".berth .off{fill-opacity:.35;stroke-width:1;stroke-dasharray:4 2}"
    ".berth .hbm{fill:#eedd88;stroke:#b8a33a}.berth .dram{fill:#ee8866;stroke:#c2410c}"
    ".berth .torn{fill:var(--page);stroke:var(--dim)}"
    ".berth .off+.n{fill:var(--ink)}";

class Picture {
 public:
  void heading(const ResidencyAnswer& answer, const Deployment& deployment, const Target& target) {
    text_ += text_at("h1", 24 * kPixel, 32 * kPixel,
                     shortened(deployment.name, 60) + " on " + shortened(target.name, 40));
    text_ += text_at("dim", 24 * kPixel, 52 * kPixel,
                     fmt::format("policy {}; off chip a step: rule {}, best {}, at least {}",
                                 to_string(answer.plan.policy), to_string(answer.rule),
                                 to_string(answer.best), to_string(answer.bound)));
    if (!answer.plan.feasible()) {
      text_ += text_at("no end", kWidth - 24 * kPixel, 32 * kPixel, "This plan does not fit.");
    }
    y_ = 68 * kPixel;
  }

  Box rest() const { return {24 * kPixel, y_, kWidth - 48 * kPixel, 0}; }

  void add(Drawn drawn) {
    text_ += drawn.text;
    y_ += drawn.height;
  }

  void note(const std::string& text) {
    text_ += text_at("dim", 24 * kPixel, y_ + 14 * kPixel, text);
    y_ += 24 * kPixel;
  }

  std::string take(const std::string& name) && {
    const Length height = y_ + 12 * kPixel;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"berth\" viewBox=\"0 0 {0} {1}\" "
               "width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"residency of {2}\">\n"
               "<style>{3}{4}</style>\n",
               px(kWidth), px(height), xml_text(name), kMapStyle, kTiers) +
           rect("page", {0, 0, kWidth, height}) + text_ + "</svg>\n";
  }

 private:
  std::string text_;
  Length y_ = 0;
};

void add_ladders(Picture& picture, const Residency& plan) {
  if (plan.classes.empty()) return;
  const std::size_t shown = std::min(plan.chips.size(), kMostLadders);
  for (std::size_t chip = 0; chip < shown; ++chip) {
    picture.add(state_ladder(plan, ChipId(chip), picture.rest()));
  }
  if (shown < plan.chips.size()) {
    picture.note(fmt::format("and {} more chips", plan.chips.size() - shown));
  }
}

void add_maps(Picture& picture, const ResidencyAnswer& answer, const Deployment& deployment) {
  std::size_t maps = 0;
  for (std::size_t i = 0; i < answer.layouts.size(); ++i) {
    for (const Layout& layout : answer.layouts[i]) {
      if (++maps > kMostMaps) continue;
      picture.add(tier_map(answer.plan.programs[i], deployment.programs[i].program, layout,
                           picture.rest()));
    }
  }
  if (maps > kMostMaps) picture.note(fmt::format("and {} more programs", maps - kMostMaps));
}

std::string picture_of(const ResidencyAnswer& answer, const Deployment& deployment,
                       const Target& target) {
  Picture picture;
  picture.heading(answer, deployment, target);
  add_ladders(picture, answer.plan);
  add_maps(picture, answer, deployment);
  return std::move(picture).take(shortened(deployment.name, 60));
}

}  // namespace

std::string residency_svg(const ResidencyAnswer& answer, const Deployment& deployment,
                          const Target& target) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + picture_of(answer, deployment, target);
}

std::string residency_html(const ResidencyAnswer& answer, const Deployment& deployment,
                           const Target& target) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
      "<style>:root{{color-scheme:light dark}}body{{margin:0;font-family:system-ui,sans-serif}}"
      "svg{{max-width:100%;height:auto}}pre{{margin:24px;overflow-x:auto}}</style>\n"
      "</head>\n<body>\n{}<pre>{}</pre>\n</body>\n</html>\n",
      xml_text("residency of " + shortened(deployment.name, 60)),
      picture_of(answer, deployment, target),
      xml_lines(residency_table(answer, deployment, target)));
}

}  // namespace berth
