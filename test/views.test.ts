import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import axe, { type AxeResults } from 'axe-core'
import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { launchBrowser } from '../packages/support-api/src/page/browser.fixture.ts'
import { ToolError } from '../packages/tool-server/src/tool-error.ts'
import { readTool } from '../packages/tool-server/src/tool.ts'
import { openTestServer, type TestServer } from '../packages/tool-server/src/test-server.fixture.ts'
import { backtestCurves, rangeResult } from '../packages/tool-server/src/pictures/picture-data.fixture.ts'
import { backtestAnswer, rangeAnswer } from '../packages/tool-server/src/pictures/answers.fixture.ts'

// The views in a real browser, in a host made of the extension's own `AppBridge`, fed by the real server over HTTP.
const root = join(import.meta.dirname, '..')
const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
const run = (script: string) =>
  execFileSync(process.execPath, [join(root, 'scripts', script)], { encoding: 'utf8', maxBuffer: 1e8 })
const hostile = '<img src=x onerror="console.error(1)"><script>console.error(2)</script>'
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
  open = await openTestServer({ tools: [ranges, backtests] })
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

const facts = {
  scope: 'read:market',
  input: z.strictObject({ token0: z.string(), horizonDays: z.number().optional() }),
} as const

/** The tools' names, views and answers; the answers themselves are made up. */
const ranges = readTool({
  name: 'optimize_lp_range',
  title: 'Ranges',
  description: 'Ranges.',
  view: 'lp-range',
  ...facts,
  output: z.looseObject({ pair: z.string() }),
}).handler(async ({ token0, horizonDays = 30 }, context) => {
  if (token0 === 'none') {
    const details = [{ field: 'fee', message: `No pool of ${hostile}.` }]
    throw new ToolError('POOL_NOT_FOUND', 'There is no such pool.', { details })
  }
  const answer = { ...rangeAnswer, pair: `${token0}/USDC` }
  if (token0 === 'slow') {
    const { simulation: _, ...analytic } = answer
    throw new ToolError('SIMULATION_TIMEOUT', 'Too slow.', { details: [{ message: 'The closed forms.', analytic }] })
  }
  context.draw(() => ({ kind: 'range', result: { ...rangeResult, pair: answer.pair }, horizonDays }))
  return answer
})

const backtests = readTool({
  name: 'backtest_lp_strategy',
  title: 'Backtests',
  description: 'Backtests.',
  view: 'lp-backtest',
  ...facts,
  output: z.looseObject({ pair: z.string() }),
}).handler(async ({ token0 }, context) => {
  context.draw(() => ({ kind: 'backtest', curves: backtestCurves() }))
  const strategies = token0 === 'empty' ? [] : backtestAnswer.strategies
  return { ...backtestAnswer, strategies, pair: `${token0}/USDC` }
})

type ToolName = 'optimize_lp_range' | 'backtest_lp_strategy'

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

const tell = (what: string, ...values: readonly unknown[]) =>
  page.evaluate(`appHost.${what}(...${JSON.stringify(values)})`)

const frame = (): Frame => page.frames()[1]!
const text = () => frame().locator('main').innerText()
const background = () => frame().evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
const [white, dark] = ['rgb(255, 255, 255)', 'rgb(22, 27, 34)']
/** The colour of the chart's ground, as it was drawn. */
const ground = () =>
  frame().evaluate<number[]>(`{
    const copy = document.createElement('canvas').getContext('2d')
    copy.drawImage(document.querySelector('canvas'), 0, 0)
    Array.from(copy.getImageData(2, 2, 1, 1).data)
  }`)

describe.each(['legacy', 'modern'] as const)('a client of the %s era', (era) => {
  test('that shows views is told of them and given what they draw; any other client is not', async () => {
    const [app, other] = [await connect(era, true), await connect(era, false)]
    const [listed, plain] = [await app.listTools(), await other.listTools()]
    const uris = ['ui://svc/lp-backtest.html', 'ui://svc/lp-range.html']
    expect(listed.tools.map(({ _meta }) => _meta)).toEqual(uris.map((resourceUri) => ({ ui: { resourceUri } })))
    expect(plain.tools).toEqual(listed.tools.map(({ _meta, ...rest }) => rest))
    expect((await app.listResources()).resources.map(({ uri }) => uri).toSorted()).toEqual(uris)
    expect((await other.listResources()).resources).toEqual([])
    expect(app.getServerCapabilities()?.extensions).toHaveProperty(['io.modelcontextprotocol/ui'])
    const ask = { name: 'backtest_lp_strategy', arguments: { token0: 'WETH' } }
    const [shown, told] = [await app.callTool(ask), await other.callTool(ask)]
    expect(shown._meta?.['svc/drawing']).toEqual({ kind: 'backtest', curves: backtestCurves() })
    expect(told._meta?.['svc/drawing']).toBeUndefined()
    expect(told.structuredContent).toEqual(shown.structuredContent)
    expect(told.content[0]).toEqual({ type: 'text', text: JSON.stringify(told.structuredContent) })
    await Promise.all([app.close(), other.close()])
  })

  test('shows a choice of range with its errors, seed and method', async () => {
    const { call, view, close } = await show('optimize_lp_range', { era })
    await call({ token0: 'WETH', horizonDays: 30 })
    await view.locator('canvas').waitFor()
    const said = await text()
    for (const words of [
      'WETH/USDC on Ethereum',
      '2,486 to 3,656',
      '± 9.6',
      '± 17: fees less LVR',
      '± 1.2 by the volatility; of',
      'LVR a year',
      'Bars found: 711 of 720',
    ])
      expect(said).toContain(words)
    await view.locator('summary').click()
    expect(await text()).toContain('8,192 simulated paths, seed 7. Geometric Brownian motion')
    expect(await view.getByRole('row', { name: 'full range' }).innerText()).toContain('no upper bound')
    await close()
  })
})

test('a backtest is shown with its curves, and what each strategy came to', async () => {
  const { call, view, close } = await show('backtest_lp_strategy')
  await call({ token0: 'WETH' })
  await view.locator('canvas').waitFor()
  const said = await text()
  for (const words of ['3 strategies replayed', '$830', '± 150', 'One past of 60 days', 'What it earned and cost'])
    expect(said).toContain(words)
  expect(await view.getByRole('row', { name: 'medium 10,420' }).innerText()).toContain('unknown')
  await close()
})

test('says what is going on: waiting, a question being written, a call under way, an end without an answer', async () => {
  const { view, close } = await show('optimize_lp_range')
  const status = view.getByRole('status')
  expect(await status.innerText()).toBe('Waiting for the host.')
  expect(await view.locator('main').getAttribute('aria-busy')).toBe('true')
  await tell('partial', { token0: 'WE' })
  await status.filter({ hasText: 'The question is being written: WE.' }).waitFor()
  await tell('input', { token0: 'WETH', token1: hostile, chain: 1 })
  await status.filter({ hasText: `weighing ranges: WETH/${hostile} on 1.` }).waitFor()
  await tell('cancel', 'no time')
  await status.filter({ hasText: 'The call was cancelled: no time' }).waitFor()
  expect(await view.locator('main').getAttribute('aria-busy')).toBe('false')
  await tell('result', { content: [{ type: 'text', text: '{}' }], structuredContent: {} })
  await status.filter({ hasText: 'The answer is empty' }).waitFor()
  await tell('result', { content: [], structuredContent: { optimalRange: {}, projections: {} } })
  await status.filter({ hasText: 'not of the form' }).waitFor()
  await close()
})

test('a failure is shown with its code, the field and the mend; one that ran out of time with what was known', async () => {
  const { call, view, close } = await show('optimize_lp_range')
  await call({ token0: 'none' })
  const alert = await view.getByRole('alert').innerText()
  expect(alert).toContain('There is no such pool.')
  expect(alert).toContain('What to do: ')
  expect(alert).toContain(`fee: No pool of ${hostile}.`)
  expect(alert).toContain('POOL_NOT_FOUND')
  expect(await view.locator('canvas').count()).toBe(0)
  await close()
  const slow = await show('optimize_lp_range')
  await slow.call({ token0: 'slow', horizonDays: 7 })
  await slow.view.locator('canvas').waitFor()
  expect(await text()).toContain('SIMULATION_TIMEOUT')
  expect(await text()).toContain('What was known in time stands below.')
  expect(await text()).toContain('of 7 days')
  await slow.close()
})

test('an answer without strategies, and one whose drawing the host kept to itself', async () => {
  const { call, view, close } = await show('backtest_lp_strategy')
  const { _meta, ...kept } = await call({ token0: 'empty' })
  await view.getByRole('status').filter({ hasText: 'The answer is empty' }).waitFor()
  await tell('result', { ...kept, structuredContent: backtestAnswer })
  await view.getByText('The host did not pass on what the chart is drawn from.').waitFor()
  expect(await text()).toContain('What it earned and cost')
  await close()
})

test('a drawing that is none of ours is left out, and the figures stand', async () => {
  const { call, view, close } = await show('backtest_lp_strategy')
  const { _meta, ...kept } = await call({ token0: 'empty' })
  await view.getByRole('status').filter({ hasText: 'The answer is empty' }).waitFor()
  const foreign = { 'svc/drawing': { kind: 'other' } }
  await tell('result', { ...kept, structuredContent: backtestAnswer, _meta: foreign })
  await view.getByText('The host did not pass on what the chart is drawn from.').waitFor()
  await close()
})

test('follows the theme of the host and the width it is given, and tells how high it is', async () => {
  const { call, view, close } = await show('optimize_lp_range', { theme: 'dark' })
  await call({ token0: 'WETH' })
  await view.locator('canvas').waitFor()
  expect(await background()).toBe(dark)
  expect(await ground()).toEqual([22, 27, 34, 255])
  await tell('theme', 'light')
  await expect.poll(background).toBe(white)
  expect(await ground()).toEqual([255, 255, 255, 255])
  const height = () => page.evaluate<number>('appHost.sizes.at(-1)[1]')
  const wide = await height()
  await page.setViewportSize({ width: 360, height: 800 })
  await expect.poll(height).toBeGreaterThan(wide + 300)
  await expect.poll(() => frame().evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0)
  await close()
})

test('nothing stands in the way of anybody: in light and dark, wide and at 360 pixels, with long and hostile names', async () => {
  for (const tool of ['optimize_lp_range', 'backtest_lp_strategy'] as const) {
    const { call, view, close } = await show(tool)
    await call({ token0: `${hostile}${'W'.repeat(60)}` })
    await view.locator('canvas').waitFor()
    expect(await text()).toContain(hostile)
    expect(await view.locator('img').count()).toBe(0)
    for (const theme of ['light', 'dark']) {
      await tell('theme', theme)
      await expect.poll(background).toBe(theme === 'light' ? white : dark)
      for (const width of [1_180, 360]) {
        await page.setViewportSize({ width, height: 800 })
        await expect.poll(() => view.evaluate('innerWidth')).toBe(width)
        expect(await view.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        expect(await violations(view)).toEqual([])
      }
    }
    await close()
  }
})

test('hears the host alone, in the words of the protocol, and goes when it is told to', async () => {
  const { view, close } = await show('optimize_lp_range')
  for (const words of [
    'words',
    null,
    7,
    [],
    { jsonrpc: '2.0' },
    { method: 'ui/notifications/tool-cancelled', params: {} },
  ])
    await tell('disturb', words)
  // A window that is not the parent says what the host may say.
  const said = { jsonrpc: '2.0', method: 'ui/notifications/tool-cancelled', params: { reason: 'a stranger' } }
  await view.evaluate(`postMessage(${JSON.stringify(said)}, '*')`)
  expect(await tell('teardown')).toEqual({})
  expect(await text()).toBe('Waiting for the host.')
  await close()
})

/** What axe finds, by rule and place. */
async function violations(view: Frame): Promise<readonly string[]> {
  await view.evaluate(axe.source)
  const found = await view.evaluate<AxeResults>('axe.run()')
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
}
