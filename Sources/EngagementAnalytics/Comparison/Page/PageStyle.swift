/// The style sheet of the page. Its fonts are those of the reader's system.
enum PageStyle {
  static let css = """
    :root {
      color-scheme: light dark;
      --paper: #fff; --ink: #1c2128; --soft: #57606a; --rule: #d9dee4; --track: #eef1f4;
      --good: #1a6b3c; --bad: #a3262e;
      --a0: #5b6472; --a1: #0b62ba; --a2: #a84c12; --a3: #23724a; --a4: #7d37a0; --a5: #a12d57;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14171b; --ink: #e8ebef; --soft: #a3adb8; --rule: #333a42; --track: #242a31;
        --good: #78cf9b; --bad: #ff9a96;
        --a0: #aab4c1; --a1: #6db3ff; --a2: #f3a468; --a3: #76cd99; --a4: #d19df0; --a5: #f691b2;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
    }
    main { max-width: 60rem; margin: 0 auto; padding: clamp(1.25rem, 4vw, 3rem) clamp(1rem, 4vw, 2rem); }
    h1 { font-size: clamp(1.5rem, 5vw, 2.1rem); line-height: 1.2; margin: 0 0 .35rem; letter-spacing: -.01em; }
    h2 { font-size: 1.15rem; line-height: 1.3; margin: 0; }
    p { margin: 0; }
    header p, figcaption p, .method { color: var(--soft); }
    section, figure { margin: 2.75rem 0 0; padding: 1.25rem 0 0; border-top: 1px solid var(--rule); }
    figcaption { margin-bottom: 1rem; }
    .pair { display: grid; gap: 0 3rem; }
    @media (min-width: 52rem) { .pair { grid-template-columns: 1fr 1fr; } }
    .pair > * { min-width: 0; }

    .conclusions {
      list-style: none; margin: 1.75rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 1px;
      border: 1px solid var(--rule); border-radius: .5rem; overflow: hidden;
    }
    .conclusions li { flex: 1 1 15rem; padding: 1rem 1.15rem 1.1rem; box-shadow: 0 0 0 1px var(--rule); }
    .conclusions h2 { margin: 0; font-size: .9rem; font-weight: 600; color: var(--soft); }
    .conclusions strong { display: block; font-size: 1.6rem; line-height: 1.3; font-weight: 600; }
    .conclusions p { font-size: .9rem; }
    .conclusions .unseen strong { color: var(--soft); font-weight: 400; }
    .conclusions .none { font-size: 1rem; }
    .conclusions small { display: block; font-size: .9rem; color: var(--soft); }

    .checks { list-style: none; margin: .9rem 0 0; padding: 0; }
    .checks li { display: grid; grid-template-columns: 5rem 1fr; gap: .75rem; padding: .45rem 0; }
    .checks b { font-size: .9rem; text-transform: capitalize; }
    .passed b { color: var(--good); }
    .failed b { color: var(--bad); }
    .open b, .early b { color: var(--soft); }
    .notes { margin: .9rem 0 0; padding-left: 1.15rem; }

    .stages { list-style: none; margin: 1rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem .5rem; }
    .stages li { border: 1px solid var(--rule); border-radius: 1rem; padding: .15rem .8rem; font-size: .9rem; color: var(--soft); }
    .stages .past { color: var(--good); }
    .stages .past::before { content: "✓ "; }
    .stages [aria-current] { border: 2px solid var(--ink); color: var(--ink); font-weight: 600; }

    svg { display: block; overflow: visible; font-size: 14px; }
    svg text { fill: var(--ink); unicode-bidi: isolate; }
    svg .heading { font-weight: 600; }
    svg .scale { fill: var(--soft); font-size: 12px; }
    svg .label { fill: var(--soft); }
    .track { fill: var(--track); }
    .grid { stroke: var(--rule); }
    .reference { stroke: var(--soft); stroke-dasharray: 3 3; }
    .plan { stroke: var(--ink); stroke-width: 2; }
    .interval, .curve-key { stroke-width: 2; }
    .ring { fill: var(--paper); stroke: var(--bad); stroke-width: 2; }
    .line { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
    .curve { overflow: visible; }
    .bar.a0, .dot.a0 { fill: var(--a0); } .interval.a0, .line.a0, .curve-key.a0 { stroke: var(--a0); }
    .bar.a1, .dot.a1 { fill: var(--a1); } .interval.a1, .line.a1, .curve-key.a1 { stroke: var(--a1); }
    .bar.a2, .dot.a2 { fill: var(--a2); } .interval.a2, .line.a2, .curve-key.a2 { stroke: var(--a2); }
    .bar.a3, .dot.a3 { fill: var(--a3); } .interval.a3, .line.a3, .curve-key.a3 { stroke: var(--a3); }
    .bar.a4, .dot.a4 { fill: var(--a4); } .interval.a4, .line.a4, .curve-key.a4 { stroke: var(--a4); }
    .bar.a5, .dot.a5 { fill: var(--a5); } .interval.a5, .line.a5, .curve-key.a5 { stroke: var(--a5); }
    .line.a0, .curve-key.a0 { stroke-dasharray: 6 4; }
    .line.a2, .curve-key.a2 { stroke-dasharray: 2 3; }
    .line.a3, .curve-key.a3 { stroke-dasharray: 10 3 2 3; }

    .scroll { overflow-x: auto; margin-top: 1.25rem; }
    .days { max-height: 17rem; overflow-y: auto; }
    .days thead th { position: sticky; top: 0; background: var(--paper); }
    .scroll:focus-visible { outline: 2px solid var(--a1); outline-offset: 3px; }
    table { border-collapse: collapse; width: 100%; font-size: .875rem; line-height: 1.4; }
    caption { text-align: left; color: var(--soft); padding-bottom: .35rem; }
    th, td { text-align: left; font-weight: 400; padding: .35rem .9rem .35rem 0; vertical-align: top; }
    td.number { white-space: nowrap; }
    td.reason { white-space: normal; min-width: 11rem; }
    .reasons { list-style: none; margin: .6rem 0 0; padding: 0; font-size: .875rem; color: var(--soft); }
    td.number, th.number { text-align: right; }
    th:last-child, td:last-child { padding-right: 0; }
    .scroll th, .scroll td { overflow-wrap: normal; }
    figure caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    thead th { color: var(--soft); border-bottom: 1px solid var(--rule); vertical-align: bottom; }
    tbody tr + tr > * { border-top: 1px solid var(--rule); }

    @media print {
      :root { --paper: #fff; --ink: #000; --soft: #444; --rule: #bbb; --track: #eee; }
      main { max-width: none; padding: 0; }
      .days { max-height: none; }
      svg, tr, .conclusions li { break-inside: avoid; }
      svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }
    """
}
