declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on an open file; false where another process or descriptor holds it. */
  export function tryLock(fd: number): boolean
  export function unlock(fd: number): void
}
