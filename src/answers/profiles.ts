/** Services and the credentials for them, in a file that only its owner may read. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AppPassword, Credentials } from '../client/transport.js'
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'

export type Profile = { readonly url: string } & (Credentials | AppPassword)

type Profiles = Readonly<Record<string, Profile>>
type Environment = Readonly<Record<string, string | undefined>>

/** The permission bits of the group and of other users. */
const OTHERS = 0o077

export const profilesFile = (env: Environment = process.env): string =>
  join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'millbook', 'profiles.json')

export function readProfiles(file = profilesFile()): Profiles {
  if (!existsSync(file)) return {}
  if (process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0)
    throw new MillbookError(`other users may read ${file}, which has secrets: run chmod 600 ${file}`)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Profiles
  } catch (error) {
    throw new MillbookError(
      `${file} is not JSON: ${(error as Error).message}; mend it, or remove it and add its profiles again`,
    )
  }
}

export function writeProfiles(profiles: Profiles, file = profilesFile()): void {
  const part = `${file}.${process.pid}.part`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(part, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
    chmodSync(part, 0o600)
    renameSync(part, file)
  } catch (error) {
    throw new MillbookError(
      `${file} cannot be written: ${(error as Error).message}; XDG_CONFIG_HOME chooses another folder`,
    )
  }
}

export function checkProfileName(name: string): void {
  if (!/^[A-Za-z0-9][\w.-]{0,59}$/.test(name))
    throw new MillbookError(
      'a profile name must be at most 60 letters, digits, dots, hyphens or underscores, and begin with a letter or digit',
    )
}

export function profileNamed(name: string, file = profilesFile()): Profile {
  const profiles = readProfiles(file)
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found !== undefined) return found
  throw new MillbookError(
    `there is no profile ${name}${nearest(name, Object.keys(profiles))}; add it with millbook profile add ${name}`,
  )
}

/** Credentials for a URL, from the environment. An app password comes first, because it may do less. */
export function environmentProfile(url: string, env: Environment = process.env): Profile {
  const appPassword = env['MILLBOOK_APP_PASSWORD']
  if (appPassword) return { url, appPassword }
  const [clientId, clientSecret] = [env['MILLBOOK_CLIENT_ID'], env['MILLBOOK_CLIENT_SECRET']]
  if (!clientId || !clientSecret)
    throw new MillbookError(
      'there are no credentials for the service: set MILLBOOK_CLIENT_ID and MILLBOOK_CLIENT_SECRET (and MILLBOOK_USERNAME and MILLBOOK_PASSWORD for a client that signs in as a user), or MILLBOOK_APP_PASSWORD, or add a profile with millbook profile add NAME',
    )
  const [username, password] = [env['MILLBOOK_USERNAME'], env['MILLBOOK_PASSWORD']]
  return { url, clientId, clientSecret, ...(username && password && { username, password }) }
}
