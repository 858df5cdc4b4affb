#pragma once

#include <string_view>

namespace abut {

/// The style sheet of solver_report_page(), but for its charts.
inline constexpr std::string_view report_style = R"(:root {
  color-scheme: light dark;
  --surface: #fff;
  --panel: #f5f6f8;
  --ink: #1d2530;
  --quiet: #5c6672;
  --line: #dfe3e8;
  --failed: #b3121f;
}
@media (prefers-color-scheme:dark) {
  :root {
    --surface: #171c23;
    --panel: #1f262f;
    --ink: #e4e8ed;
    --quiet: #a0abb8;
    --line: #323b46;
    --failed: #ff7b7b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  font: 14px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
  font-variant-numeric: tabular-nums;
  color: var(--ink);
  background: var(--surface);
}
main { max-width: 1400px; margin: 0 auto; padding: 20px 24px 32px; }
h1 { font-size: 22px; font-weight: 600; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 13px; font-weight: 600; margin: 0 0 4px; }
p { margin: 2px 0 8px; max-width: 80ch; }
.quiet,footer { color: var(--quiet); }
footer { margin-top: 28px; font-size: 12px; }
section { border-top: 1px solid var(--line); margin-top: 22px; padding-top: 16px; }
.legend+section { border-top: 0; margin-top: 0; }
.legend {
  position: sticky;
  top: 0;
  z-index: 1;
  display: flex;
  flex-wrap: wrap;
  gap: 4px 18px;
  margin: 10px -24px 0;
  padding: 8px 24px;
  background: var(--surface);
  border-bottom: 1px solid var(--line);
}
.legend label { white-space: nowrap; cursor: pointer; }
.legend input { accent-color: var(--ink); margin: 0 5px 0 0; vertical-align: -1px; }
.scroll { overflow-x: auto; margin: 8px 0 4px; }
table { border-collapse: collapse; white-space: nowrap; font-size: 13px; }
caption { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; }
th,td { padding: 3px 12px 3px 0; text-align: right; font-weight: 400; }
thead th { color: var(--quiet); border-bottom: 1px solid var(--line); vertical-align: bottom; }
tbody th,.left { text-align: left; }
tbody tr:hover { background: var(--panel); }
.failed { color: var(--failed); }
.best { font-weight: 600; }
a { color: inherit; }
.split { display: flex; flex-wrap: wrap; gap: 12px 48px; align-items: start; }
.split>div { min-width: 0; max-width: 100%; }
.split figure { flex: 1 1 400px; position: sticky; top: 56px; }
.charts {
  display: grid;
  grid-template-columns: repeat(auto-fit,minmax(min(360px,100%),1fr));
  gap: 12px 20px;
  margin-top: 12px;
  max-width: 1352px;
}
figure {
  margin: 0;
  padding: 10px 12px 4px;
  background: var(--panel);
  border-radius: 8px;
  max-width: 560px;
}
:focus-visible { outline: 2px solid var(--c0); outline-offset: 2px; }
@media print {
  .legend { position: static; }
  .legend input { display: none; }
  figure,tr { break-inside: avoid; }
}
)";

}  // namespace abut
