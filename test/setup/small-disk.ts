/** Runs programs on a small disk. */
import { execFileSync } from 'node:child_process'

/** A command prefix: the program after it runs in a mount namespace where the folder is a disk of `kib` KiB. */
export const onSmallDisk = (folder: string, kib: number): string[] => [
  ...['unshare', process.getuid?.() === 0 ? '-m' : '-rm', 'sh', '-c'],
  `mount -t tmpfs -o size=${kib}k none "$0" && exec "$@"`,
  folder,
]

/** Whether this system allows such a mount. */
export function smallDisksWork(folder: string): boolean {
  try {
    const [command, ...args] = onSmallDisk(folder, 400) as [string, ...string[]]
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
