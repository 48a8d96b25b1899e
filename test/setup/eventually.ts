/** Repeats a check until it holds: like `expect.poll`, for checks that give a value or need several expectations. */
import { vi } from 'vitest'

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 30_000 })
