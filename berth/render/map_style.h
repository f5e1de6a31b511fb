#pragma once

#include <cstddef>
#include <string_view>

namespace berth {

inline constexpr std::size_t kMapColours = 8;

// The look of the map, in CSS. Rectangles bear one of eight light fills that stay apart for every
// kind of colour vision and carry dark text, on a light ground as well as on a dark one.
inline constexpr std::string_view kMapStyle = R"css(
.berth{--page:#fff;--plot:#f6f7f9;--ink:#1c2128;--dim:#667080;--line:#dfe3e8;--load:#8da2bd;--peak:#c2410c;--bad:#d1002c;--crumb:#a8b0ba;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:11px}
@media(prefers-color-scheme:dark){.berth{--page:#14171c;--plot:#1c2027;--ink:#e8ebf0;--dim:#97a1af;--line:#2f3640;--load:#5a7193;--peak:#fb923c;--bad:#ff4d6d;--crumb:#5b6470}}
.berth .page{fill:var(--page)}.berth .plot{fill:var(--plot)}
.berth text{fill:var(--ink)}.berth .dim{fill:var(--dim)}.berth .end{text-anchor:end}.berth .mid{text-anchor:middle}
.berth .h1{font-size:18px;font-weight:600}.berth .h2{font-size:13px;font-weight:600}.berth .pk{fill:var(--peak)}.berth .no{fill:var(--bad);font-weight:600}
.berth .g{stroke:var(--line);stroke-width:1}.berth .top{stroke:var(--ink);stroke-width:1.4}.berth .max{stroke:var(--peak);stroke-width:1.4;stroke-dasharray:5 4}.berth .cap{stroke:var(--bad);stroke-width:1.4}
.berth .band{fill:var(--peak);opacity:.16}.berth .load{fill:var(--load);opacity:.85}
.berth .b{stroke:#10141a;stroke-opacity:.6;stroke-width:.7}.berth .s{stroke:none}.berth .k{opacity:.6}
.berth .v{fill:#fff;fill-opacity:0;stroke:#1c2128;stroke-width:1;stroke-dasharray:3 2}
.berth .c0{fill:#77aadd}.berth .c1{fill:#ee8866}.berth .c2{fill:#eedd88}.berth .c3{fill:#44bb99}.berth .c4{fill:#ffaabb}.berth .c5{fill:#99ddff}.berth .c6{fill:#bbcc33}.berth .c7{fill:#b9b2dd}
.berth .crumb{fill:var(--crumb)}.berth .take{fill:url(#berth-hatch)}.berth .meet{fill:var(--bad);fill-opacity:.45;stroke:var(--bad);stroke-width:1.5}
.berth .take,.berth .meet{pointer-events:none}
.berth .n{fill:#10141a;pointer-events:none}.berth .n2{fill:#10141a;fill-opacity:.72;font-size:9.5px;pointer-events:none}
)css";

}  // namespace berth
