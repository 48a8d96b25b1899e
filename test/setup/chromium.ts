/** Starts the system's Chromium with a temporary home and without requests to the internet. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../scripts/test-needs.mjs'

const ARGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
]

export interface Chromium {
  readonly browser: Browser
  close(): Promise<void>
}

export async function startChromium(): Promise<Chromium> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no Chromium found: run node scripts/test-needs.mjs')
  const home = mkdtempSync(join(tmpdir(), 'millbook-browser-'))
  const env = { ...process.env, HOME: home } as Record<string, string>
  const browser = await chromium.launch({ executablePath, args: ARGS, env })
  return {
    browser,
    async close() {
      await browser.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
