#include "berth/certify/explain_placement.h"

#include <fmt/format.h>

#include <array>

#include "berth/base/text.h"
#include "berth/certify/explain_arena.h"

namespace berth {
namespace {

std::string text_of(ByteRange range) {
  return fmt::format("[{}, {})", range.lower, range.upper);
}

const char* text_of(MalformedBuffer::Why why) {
  using enum MalformedBuffer::Why;
  switch (why) {
    case NoSuchArena:
      return "its arena does not exist";
    case EmptyLife:
      return "its life is empty or reversed";
    case EmptyGap:
      return "a gap is empty or reversed";
    case GapOutsideLife:
      return "a gap is not inside its life";
    case GapsOutOfOrder:
      return "a gap starts before the one ahead of it ends";
    case KeptOutsideBuffer:
      return "a gap keeps bytes that are no stretch of the buffer";
    case StartsBeforeArena:
      return "its skew is larger than its offset, so its place is below 0";
    case EndPast64Bits:
      return "its end is more than 64 bits hold";
    case ExtentPast64Bits:
      return "its rounded size is more than 64 bits hold";
    case NoSuchBase:
      return "the buffer that it views does not exist";
    case NoSuchDonor:
      return "the buffer whose bytes it reuses does not exist";
    case ViewOfItself:
      return "it is a view of itself, by way of the buffers that it views";
    case ViewThatReuses:
      return "it is a view and reuses another's bytes too";
  }
  __builtin_unreachable();
}

const char* text_of(BadView::Why why) {
  using enum BadView::Why;
  switch (why) {
    case OtherArena:
      return "which is in another arena";
    case OutsideBytes:
      return "but is not inside its bytes";
    case OutsideLife:
      return "but is not inside its life";
    case BaseDoesNotHold:
      return "which does not hold these bytes in all of its steps";
  }
  __builtin_unreachable();
}

const char* text_of(BadReuse::Why why) {
  using enum BadReuse::Why;
  switch (why) {
    case Itself:
      return "which is itself";
    case OtherArena:
      return "which is in another arena";
    case OtherOffset:
      return "but is not at the same offset";
    case TooLarge:
      return "but is larger";
    case NotAtLastStep:
      return "but is not born in its last step";
    case DonorInGap:
      return "which holds nothing to take over in its last step";
    case BaseLivesOn:
      return "a view of bytes that are live later";
    case HandedOnAtOnce:
      return "which itself takes over its bytes in that step";
  }
  __builtin_unreachable();
}

const char* text_of(WrongClaim::Claim claim) {
  using enum WrongClaim::Claim;
  switch (claim) {
    case MaxLoad:
      return "max load";
    case MaxLoadUnpadded:
      return "max load before padding";
    case PeakStep:
      return "peak step";
    case LowerBoundBelowLoad:
    case LowerBoundAbovePeak:
    case LowerBoundAboveNeed:
      return "lower bound";
    case ProvedLeast:
      return "proved least";
  }
  __builtin_unreachable();
}

class Explainer {
 public:
  explicit Explainer(const Plan& plan) : plan_(plan) {}

  std::string operator()(const MalformedBuffer& fault) const {
    return fmt::format("buffer {}: {}", buffer(fault.buffer), text_of(fault.why));
  }
  std::string operator()(const MisplacedArena& fault) const {
    const PlannedArena& arena = plan_.arenas[fault.arena];
    if (fault.past_64_bits) {
      return fmt::format("{} at address {:#x}: it ends past 2^64", arena_text(fault.arena),
                         arena.address.value());
    }
    return fmt::format(
        "{} at address {:#x}, which is not a multiple of the {} that it or "
        "a buffer in it needs",
        arena_text(fault.arena), arena.address.value(), fault.alignment.value());
  }
  std::string operator()(const PastCapacity& fault) const {
    const Bytes reserve = plan_.arenas[fault.arena].reserve;
    const std::string beside =
        fault.beside > Bytes(0) ? fmt::format(", {} kept beside", fault.beside.count()) : "";
    if (fault.need <= fault.usable) {
      return fmt::format(
          "{} has {} bytes, and more is taken before anything is placed ({} reserved{})",
          arena_text(fault.arena), fault.capacity.count(), reserve.count(), beside);
    }
    return fmt::format("{} needs {} bytes of {} usable ({} nominal, {} reserved{}): {} too many",
                       arena_text(fault.arena), fault.need.count(), fault.usable.count(),
                       fault.capacity.count(), reserve.count(), beside,
                       (fault.need - fault.usable).count());
  }
  std::string operator()(const PastArenaEnd& fault) const {
    return fmt::format("buffer {} ends at {}, past the end of {} at {}", buffer(fault.buffer),
                       fault.end, arena_text(plan_.buffers[fault.buffer].arena),
                       fault.arena_bytes.count());
  }
  std::string operator()(const Misaligned& fault) const {
    const PlannedBuffer& buffer_at = plan_.buffers[fault.buffer];
    return fmt::format("buffer {}: its place {} (offset {} less skew {}) is not a multiple of {}",
                       buffer(fault.buffer), fault.place.value(), buffer_at.offset.value(),
                       buffer_at.skew.count(), buffer_at.alignment.value());
  }
  std::string operator()(const MovedFixed& fault) const {
    return fmt::format("buffer {} is placed at {}, but must be at {}", buffer(fault.buffer),
                       fault.place.value(), fault.demanded.value());
  }
  std::string operator()(const BadView& fault) const {
    return fmt::format("buffer {} {} is a view of {} {}, {}", buffer(fault.buffer),
                       bytes_of(fault.buffer), buffer(fault.base), bytes_of(fault.base),
                       text_of(fault.why));
  }
  std::string operator()(const BadReuse& fault) const {
    return fmt::format("buffer {} {} reuses the bytes of {} {}, {}", buffer(fault.buffer),
                       bytes_of(fault.buffer), buffer(fault.donor), bytes_of(fault.donor),
                       text_of(fault.why));
  }
  std::string operator()(const SharedBytes& fault) const {
    return fmt::format("{} and {} are both live at {} and share bytes {} of {}",
                       buffer(fault.first), buffer(fault.second),
                       printable(step_text(plan_.step_names, fault.step)), text_of(fault.bytes),
                       arena_text(plan_.buffers[fault.first].arena));
  }
  std::string operator()(const SharedAddresses& fault) const {
    return fmt::format("{} and {} share addresses {}: give one another address",
                       numbered(fault.first), numbered(fault.second), text_of(fault.addresses));
  }
  std::string operator()(const WrongClaim& fault) const {
    using enum WrongClaim::Claim;
    if (fault.claim == ProvedLeast) {
      const bool meet = fault.claimed == fault.found;
      return fmt::format(
          "{} claims to be {}proved least, but its bytes, {}, and its lower bound, {}, {}",
          arena_text(fault.arena), meet ? "not " : "", fault.claimed, fault.found.value_or(0),
          meet ? "meet" : "do not meet");
    }
    const char* than = fault.claim == LowerBoundBelowLoad   ? "less than its max load"
                       : fault.claim == LowerBoundAbovePeak ? "more than its bytes,"
                       : fault.claim == LowerBoundAboveNeed ? "but its buffers go into"
                                                            : "but its buffers say";
    return fmt::format("{} claims {} {}, {} {}", arena_text(fault.arena), text_of(fault.claim),
                       fault.claimed, than,
                       fault.found ? std::to_string(*fault.found) : "more than 64 bits hold");
  }

 private:
  std::string buffer(std::size_t index) const { return printable(plan_.buffers[index].name); }
  std::string arena_text(std::size_t index) const {
    const PlannedArena& arena = plan_.arenas[index];
    const std::string tier = arena.tier.empty() ? "" : " " + printable(arena.tier);
    return (arena.device.empty() ? "the arena" : "arena " + printable(arena.device)) + tier;
  }
  // Of two arenas that may have one name.
  std::string numbered(std::size_t index) const {
    return fmt::format("{} (arenas[{}])", arena_text(index), index);
  }
  // With steps: a view or a taker is wrong about either.
  std::string bytes_of(std::size_t index) const {
    const PlannedBuffer& at = plan_.buffers[index];
    return fmt::format("(bytes {}, steps {})",
                       text_of({at.offset.value(), at.offset.value() + at.bytes.count()}),
                       text_of(at.life));
  }

  const Plan& plan_;
};

// The kept faults whose variant index is `kind`, a line each, and how many more there are.
std::string text_of_kind(std::size_t kind, const PlacementVerdict& verdict, const Plan& plan) {
  std::string text;
  std::uint64_t told = 0;
  std::uint64_t count = 0;
  for (const PlacementFault& fault : verdict.faults()) {
    if (fault.index() != kind) continue;
    text += "  " + explain(fault, plan) + "\n";
    count = verdict.count_like(fault);
    ++told;
  }
  if (told < count) text += fmt::format("  and {} more like it, {} in all\n", count - told, count);
  return text;
}

}  // namespace

std::string_view kind_name(const PlacementFault& fault) {
  // In the order of the variant.
  static constexpr std::array<std::string_view, std::variant_size_v<PlacementFault>> kNames = {
      "malformed-buffer", "misplaced-arena",  "past-capacity", "past-arena-end",
      "misaligned",       "moved-fixed",      "bad-view",      "bad-reuse",
      "shared-bytes",     "shared-addresses", "wrong-claim"};
  return kNames[fault.index()];
}

std::string explain(const PlacementFault& fault, const Plan& plan) {
  return std::visit(Explainer(plan), fault);
}

std::string explain(const PlacementVerdict& verdict, const Plan& plan) {
  if (verdict.sound()) {
    return fmt::format("sound: {} buffer{} in {} arena{}\n", plan.buffers.size(),
                       plan.buffers.size() == 1 ? "" : "s", plan.arenas.size(),
                       plan.arenas.size() == 1 ? "" : "s");
  }
  std::string text = "not sound\n";
  for (std::size_t kind = 0; kind < std::variant_size_v<PlacementFault>; ++kind) {
    text += text_of_kind(kind, verdict, plan);
  }
  return text;
}

}  // namespace berth
