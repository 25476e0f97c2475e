import { mkdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import chromium from '@sparticuz/chromium'
import { chromium as launcher, type Browser } from 'playwright-core'

/** A real Chromium, as it comes from npm, with the web's security on; with what a test needs besides, such as names of its own. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return launcher.launch({
    executablePath: await unpacked(),
    args: [
      ...chromium.args.filter((argument) => !unwanted.has(argument)),
      '--no-sandbox',
      '--disable-background-networking',
      ...more,
    ],
    headless: true,
    timeout: 60_000,
  })
}

/** One process unpacks it at a time: what another is still writing cannot be started. */
async function unpacked(): Promise<string> {
  const lock = join(tmpdir(), 'chromium-unpacking')
  while (!isMade(lock)) await setTimeout(100)
  try {
    return await chromium.executablePath()
  } finally {
    rmdirSync(lock)
  }
}

function isMade(directory: string): boolean {
  try {
    mkdirSync(directory)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Of the package's own arguments: what turns security off, and one process for all, which ends with its first page. */
const unwanted: ReadonlySet<string> = new Set([
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
  '--disable-web-security',
  '--no-zygote',
  '--single-process',
])
