/**
 * Preloaded by NODE_OPTIONS=--import: the clock of the process and of its workers was at FIXED_CLOCK when the system's was at
 * FIXED_CLOCK_FROM, in milliseconds, and runs on. The embedded database reads the same clock.
 */
const at = process.env['FIXED_CLOCK']
if (at !== undefined) {
  const Real = Date
  const ahead = Real.parse(at) - Number(process.env['FIXED_CLOCK_FROM'])
  const now = () => Real.now() + ahead
  globalThis.Date = new Proxy(Real, {
    construct: (target, given, self) => Reflect.construct(target, given.length === 0 ? [now()] : given, self),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
}
