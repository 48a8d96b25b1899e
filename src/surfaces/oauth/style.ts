/** The stylesheet of the sign-in page: a centred card, in the light and the dark theme. */
export const style = `:root {
  color-scheme: light dark;
  --ground: #f3f5f8;
  --card: #ffffff;
  --line: #d8dde6;
  --field: #8a94a6;
  --text: #111827;
  --quiet: #556070;
  --accent: #1d4ed8;
  --accent-hover: #1e40af;
  --on-accent: #ffffff;
  --alert: #9f1d1d;
  --alert-ground: #fdf1f1;
  --alert-line: #f0c4c4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117;
    --card: #161b24;
    --line: #2a3241;
    --field: #68758a;
    --text: #e8ecf3;
    --quiet: #a3adbd;
    --accent: #8ab0ff;
    --accent-hover: #a9c5ff;
    --on-accent: #0b1220;
    --alert: #ffb4b4;
    --alert-ground: #2a1618;
    --alert-line: #5c2a2e;
  }
}
* { box-sizing: border-box; }
html { height: 100%; }
body {
  margin: 0;
  min-height: 100%;
  display: grid;
  place-items: center;
  padding: 24px 16px;
  background: var(--ground);
  color: var(--text);
  font: 14px/22px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  -webkit-text-size-adjust: 100%;
}
main {
  width: 100%;
  max-width: 384px;
  padding: 32px;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 12px;
  box-shadow: 0 1px 2px rgb(16 24 40 / 4%), 0 12px 32px rgb(16 24 40 / 8%);
}
.brand {
  display: flex;
  align-items: center;
  gap: 10px;
  margin: 0 0 24px;
  font-size: 16px;
  font-weight: 600;
}
.brand img { display: block; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 28px; font-weight: 600; }
p, ul { margin: 0 0 12px; overflow-wrap: anywhere; }
ul { padding-left: 20px; color: var(--quiet); }
.note { color: var(--quiet); font-size: 13px; }
label { display: block; margin: 16px 0 4px; font-weight: 600; }
input {
  display: block;
  width: 100%;
  height: 40px;
  padding: 0 12px;
  border: 1px solid var(--field);
  border-radius: 8px;
  background: var(--card);
  color: inherit;
  font: inherit;
  font-size: 16px;
}
button, .button {
  display: block;
  width: 100%;
  height: 40px;
  margin-top: 24px;
  padding: 0 16px;
  border: 0;
  border-radius: 8px;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  line-height: 40px;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-hover); }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.alert {
  padding: 10px 12px;
  border: 1px solid var(--alert-line);
  border-radius: 8px;
  background: var(--alert-ground);
  color: var(--alert);
}
a { color: var(--accent); }
.cancel { margin: 16px 0 0; text-align: center; }
main > :last-child { margin-bottom: 0; }
@media (max-width: 420px) {
  body { padding: 0; place-items: stretch; background: var(--card); }
  main { max-width: none; padding: 24px 20px; border: 0; border-radius: 0; box-shadow: none; }
}
`
