export const REFERENCE_STYLE = `:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0550ae, #79b8ff); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: 0.875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav h2 { font-size: 0.875rem; margin: 0; }
main { padding: 1rem 2rem 6rem; max-width: 64rem; }
article { border-top: 1px solid var(--line); padding: 1rem 0; }
section > h2 { margin-top: 3rem; }
h3 { margin: 0; font-size: 1.125rem; }
h4 { margin: 1rem 0 0.25rem; font-size: 0.875rem; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: 0.75rem; overflow-x: auto; margin: 0.25rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); }
summary { cursor: pointer; }
article > pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.method { display: inline-block; min-width: 3.5rem; font-weight: 600; }
:target { scroll-margin-top: 1rem; background: var(--soft); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`
