import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchBrowser } from '../../packages/support-api/src/page/browser.fixture.ts'
import { openTestServer, type TestServer } from '../../packages/tool-server/src/test-server.fixture.ts'
import { tools } from './tools.fixture.ts'

/** The views in a real browser, in a host made of the extension's own `AppBridge`, fed by the real server over HTTP. */
export function openViewHost() {
  let host: string
  let browser: Browser
  let open: TestServer
  let page: Page
  /** What no view may cause: words in the console, requests, violations of the policy. */
  let complaints: string[]

  beforeAll(async () => {
    run('views.mjs')
    host = run('app-host.mjs')
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    open = await openTestServer({ tools })
    complaints = []
    const context = await browser.newContext({ viewport: { width: 1_180, height: 900 } })
    await context.addInitScript(
      "addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.error('CSP ' + violatedDirective))",
    )
    page = await context.newPage()
    page.setDefaultTimeout(30_000)
    // The host's transport tells of each message under 'debug'.
    page.on('console', (message) => void (message.type() === 'debug' || complaints.push(message.text())))
    page.on('pageerror', (error) => void complaints.push(String(error)))
    page.on('request', (request) => void complaints.push(request.url()))
    await page.setContent(host)
  })
  afterEach(async () => {
    await open.server.close()
    await page.context().close()
    if (complaints.length > 0) throw new Error(complaints.join('\n'))
  })

  const tell = (what: string, ...values: readonly unknown[]) =>
    page.evaluate(`appHost.${what}(...${JSON.stringify(values)})`)
  const frame = (): Frame => page.frames()[1]!

  async function connect(era: 'legacy' | 'modern', isApp: boolean) {
    const client = new Client(
      { name: 'test', version: '1' },
      {
        ...(isApp && { capabilities: { extensions: ui } }),
        ...(era === 'modern' && { versionNegotiation: { mode: 'auto' as const } }),
      },
    )
    const requestInit = { headers: { authorization: `Bearer ${open.keys.read}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(open.url), { requestInit }))
    return client
  }

  /** Shows the view of a tool and gives back what calls the tool and passes its answer on. */
  async function show(
    tool: ToolName,
    { era = 'modern', theme = 'light' }: { era?: 'legacy' | 'modern'; theme?: string } = {},
  ) {
    const client = await connect(era, true)
    const { tools } = await client.listTools()
    const meta: { ui?: { resourceUri?: string } } = tools.find(({ name }) => name === tool)?._meta ?? {}
    const { contents } = await client.readResource({ uri: meta.ui?.resourceUri ?? '' })
    const [content = { uri: '' }] = contents
    expect(content).toMatchObject({
      uri: meta.ui?.resourceUri,
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } },
    })
    const html = 'text' in content ? content.text : ''
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-`
    expect(html.includes(policy), 'its policy').toBe(true)
    await tell('open', html, theme)
    const call = async (input: Readonly<Record<string, unknown>>) => {
      await tell('input', input)
      const result = await client.callTool({ name: tool, arguments: input })
      await tell('result', result)
      return result
    }
    return { call, view: frame(), close: () => client.close() }
  }

  return { connect, show, tell, text: () => frame().locator('main').innerText(), page: () => page }
}

const root = join(import.meta.dirname, '../..')
const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }

function run(script: string): string {
  return execFileSync(process.execPath, [join(root, 'scripts', script)], { encoding: 'utf8', maxBuffer: 1e8 })
}

type ToolName = 'optimize_lp_range' | 'backtest_lp_strategy'
