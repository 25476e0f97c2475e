// node scripts/view-pictures.mjs: makes docs/images/view-*.png from the built views in a real browser. The built server answers
// over stdio about the history of a local chain; a host page of the extension's own `AppBridge` shows what it answers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import chromium from '@sparticuz/chromium'
import { startDevnet } from '@svc/devnet'
import { chromium as launcher } from 'playwright-core'
import { appHostPage } from './app-host.mjs'

const images = new URL('../docs/images/', import.meta.url).pathname
const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
const pair = (chain) => ({ chain, token0: 'WETH', token1: 'USDC', fee: 500, amount: '10000' })
const closers = []

try {
  const devnet = await startDevnet()
  closers.push(() => devnet.stop())
  const client = await connect(devnet)
  const about = pair(String(devnet.chainId))
  const { tools } = await client.listTools()
  const answers = []
  for (const [name, input] of [
    ['optimize_lp_range', { ...about, horizonDays: 30 }],
    ['backtest_lp_strategy', { ...about, startTime: new Date(Date.now() - 30 * 86_400_000).toISOString() }],
  ]) {
    const { resourceUri } = tools.find((tool) => tool.name === name)._meta.ui
    const { contents } = await client.readResource({ uri: resourceUri })
    const result = await client.callTool({ name, arguments: input }, { timeout: 180_000 })
    if (result.isError) throw new Error(JSON.stringify(result.content))
    answers.push({ name: /([a-z-]+)\.html$/.exec(resourceUri)[1], html: contents[0].text, input, result })
  }
  await pictures(answers)
} finally {
  for (const close of closers.toReversed()) await close()
}

async function connect(devnet) {
  const dataDir = mkdtempSync(join(tmpdir(), 'pictures-'))
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const client = new Client(
    { name: 'pictures', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { extensions: ui } },
  )
  const main = fileURLToPath(new URL('../packages/tool-server/dist/main.js', import.meta.url))
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet.chain]))
  const env = {
    PATH: process.env.PATH,
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    LOG_LEVEL: 'warn',
    [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
  }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [main, '--transport', 'stdio'], env, cwd: dataDir }),
  )
  closers.push(() => client.close())
  return client
}

async function pictures(answers) {
  const browser = await launcher.launch({
    executablePath: await chromium.executablePath(),
    // One process for all ends with its first page.
    args: [...chromium.args.filter((arg) => arg !== '--single-process'), '--disable-background-networking'],
    headless: true,
  })
  closers.push(() => browser.close())
  const host = await appHostPage()
  for (const { name, html, input, result } of answers) {
    for (const theme of ['light', 'dark']) {
      for (const width of [1_280, 360]) {
        const context = await browser.newContext({
          viewport: { width, height: 800 },
          deviceScaleFactor: width === 360 ? 2 : 1,
        })
        const page = await context.newPage()
        await page.setContent(host)
        await page.evaluate(([view, look]) => globalThis.appHost.open(view, look), [html, theme])
        await page.evaluate((given) => globalThis.appHost.input(given), input)
        await page.evaluate((given) => globalThis.appHost.result(given), result)
        await page.frameLocator('iframe').locator('canvas').waitFor()
        await page.waitForFunction(() => {
          const [first, last] = [globalThis.appHost.sizes.at(-1), document.querySelector('iframe').offsetHeight]
          return first?.[1] === last && last > 800
        })
        await page.screenshot({ path: join(images, `view-${name}-${theme}-${width}.png`), fullPage: true })
        await context.close()
      }
    }
  }
}
