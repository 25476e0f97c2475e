import chromium from '@sparticuz/chromium'
import { chromium as launcher, type Browser } from 'playwright-core'

/** A real Chromium, as it comes from npm, with the web's security on. */
export async function launchBrowser(): Promise<Browser> {
  return launcher.launch({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args.filter((argument) => !unwanted.has(argument)),
      '--no-sandbox',
      '--disable-background-networking',
    ],
    headless: true,
    timeout: 60_000,
  })
}

/** Of the package's own arguments: what turns security off, and one process for all, which ends with its first page. */
const unwanted: ReadonlySet<string> = new Set([
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
  '--disable-web-security',
  '--no-zygote',
  '--single-process',
])
