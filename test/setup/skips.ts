/** A reporter that counts skipped tests by their reasons, and fails a run in which a test was skipped without one. */
import type { Reporter, TestModule, Vitest } from 'vitest/node'

export default class Skips implements Reporter {
  /** `-t` skips most tests without a reason. */
  #filtered = false

  onInit(vitest: Vitest): void {
    this.#filtered = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#filtered) return
    const reasons = new Map<string, number>()
    const unexplained: string[] = []
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const result = test.result()
        const reason = result.state === 'skipped' ? result.note : undefined
        if (reason === undefined) unexplained.push(`${module.relativeModuleId} > ${test.fullName}`)
        else reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      }
    for (const [reason, count] of reasons) console.log(`${count} skipped: ${reason}`)
    if (unexplained.length === 0) return
    console.error(`skipped without a reason:\n${unexplained.join('\n')}`)
    process.exitCode = 1
  }
}
