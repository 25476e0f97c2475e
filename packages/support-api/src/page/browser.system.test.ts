import axe, { type AxeResults } from 'axe-core'
import { useDevnet } from '@svc/devnet/testing'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { createPublicClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { launchBrowser } from './browser.fixture.ts'
import { openPageApi, type PageApi } from './page-api.fixture.ts'

const devnet = useDevnet()
let browser: Browser
let opened: PageApi
/** What no page may cause: words in the console, requests elsewhere, violations of the policy. */
let complaints: string[]

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())
beforeEach(async () => {
  complaints = []
  opened = await openPageApi(devnet())
})
afterEach(async () => {
  await ask('evm_setAutomine', true)
  for (const context of browser.contexts()) await context.close()
  await opened.close()
  if (complaints.length > 0) throw new Error(complaints.join('\n'))
})

const wallet = () => privateKeyToAddress(generatePrivateKey())
const desktop = { viewport: { width: 1180, height: 900 } }

async function visit(options: BrowserContextOptions = desktop, path = '/'): Promise<Page> {
  const context = await browser.newContext(options)
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.error('CSP ' + violatedDirective))",
  )
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('console', (message) => void complaints.push(message.text()))
  page.on('pageerror', (error) => void complaints.push(String(error)))
  page.on('request', (request) => {
    if (!/^(data:|http:\/\/127\.0\.0\.1:)/.test(request.url())) complaints.push(request.url())
  })
  await page.goto(`${opened.api.url}${path}`)
  return page
}

const ask = async (method: string, ...params: readonly unknown[]) =>
  void (await fetch(devnet().rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }))

const balanceOf = (address: `0x${string}`) =>
  createPublicClient({ transport: http(devnet().rpcUrl) }).getBalance({ address })

describe('a person claims', () => {
  test('with a script: the address is checked while it is typed, and the claim is followed to its end', async () => {
    const address = wallet()
    const page = await visit()
    await page.fill('#address', wrongCase(address))
    await page.getByText('The checksum does not hold').waitFor()
    expect(await page.getAttribute('#address', 'aria-invalid')).toBe('true')
    await page.fill('#address', address)
    await page.getByText('The checksum holds.').waitFor()
    await page.getByText('has had nothing on this chain yet').waitFor()
    expect(await page.getAttribute('#address', 'aria-invalid')).toBe('false')
    expect(await page.textContent('#limits')).toContain('10 of 10 left')
    expect(await page.textContent('#curl')).toContain(`"address": "${address}"`)

    await ask('evm_setAutomine', false)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('0.01 ETH is on its way').waitFor()
    expect(await page.getAttribute('#result', 'aria-live')).toBe('polite')
    await ask('evm_setAutomine', true)
    await ask('evm_mine')
    await page.getByText('0.01 ETH is in the wallet').waitFor()
    expect(await balanceOf(address)).toBe(10n ** 16n)
    expect(await page.textContent('.tx code')).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await page.textContent('#limits')).toContain('9 of 10 left')
    await page.reload()
    await page.getByText('0.01 ETH is in the wallet').waitFor()
  })

  test('without a script, by the form alone', async () => {
    const address = wallet()
    const page = await visit({ ...desktop, javaScriptEnabled: false })
    expect(await page.isVisible('#copy')).toBe(false)
    await ask('evm_setAutomine', false)
    await page.fill('#address', address)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('0.01 ETH is on its way').waitFor()
    await ask('evm_setAutomine', true)
    await ask('evm_mine')
    // The page reloads itself until the claim has come to its end.
    await page.getByText('0.01 ETH is in the wallet').waitFor()
    expect(await balanceOf(address)).toBe(10n ** 16n)
  })

  test('by the keyboard alone, in an order that makes sense', async () => {
    const page = await visit()
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()')
    const order = []
    for (let key = 0; key < 7; key++) {
      await page.keyboard.press('Tab')
      order.push(await focused())
    }
    expect(order).toEqual(['Skip to the form', 'Support API', 'Reference', 'Status', 'OpenAPI', '', 'address'])
    const address = wallet()
    await page.keyboard.type(address)
    await page.keyboard.press('Enter')
    await page.getByText('0.01 ETH is in the wallet').waitFor()
    expect(await balanceOf(address)).toBe(10n ** 16n)
  })
})

describe('what became of a submit', () => {
  const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click()
  const contract = '0xcA11bde05977b3631167028862bE2a173976CA11'

  test('a refusal stands until something else is typed', async () => {
    const page = await visit()
    await page.clock.install()
    await page.fill('#address', contract)
    await send(page)
    await page.getByText('FAUCET_TARGET_CONTRACT').waitFor()
    const looked = page.waitForResponse((answer) => answer.request().method() === 'GET')
    await page.clock.runFor(11_000)
    await (await looked).finished()
    await page.clock.runFor(1_000)
    expect(await page.textContent('#result')).toContain('FAUCET_TARGET_CONTRACT')
    complaints = complaints.filter((words) => !words.includes('400 (Bad Request)'))
    await page.fill('#address', wallet())
    await page.clock.runFor(1_000)
    await page.getByText('has had nothing on this chain yet').waitFor()
  })

  test('a server that does not answer, or not with a page, is told of, and a reload knows the wallet', async () => {
    const address = wallet()
    const page = await visit()
    await page.fill('#address', `  ${address} `)
    await page.getByText('The checksum holds.').waitFor()
    await page.route('**/*', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await send(page)
    await page.getByText('No answer').waitFor()
    await page.unrouteAll()
    const problem = { message: 'Too many requests.', suggestion: 'Wait a minute.' }
    await page.route('**/*', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 429, contentType: 'application/problem+json', json: problem })
        : route.continue(),
    )
    await send(page)
    await page.getByText('Too many requests. Wait a minute.').waitFor()
    await page.unrouteAll()
    complaints = []
    await page.reload()
    expect(await page.inputValue('#address')).toBe(address)
    await send(page)
    await page.getByText('0.01 ETH is in the wallet').waitFor()
  })
})

test('the command is the one the server wrote, follows the fields, and is copied whole', async () => {
  const page = await visit({ ...desktop, permissions: ['clipboard-read', 'clipboard-write'] })
  const written = await (await fetch(opened.api.url)).text()
  const first = await page.textContent('#curl')
  expect(
    await page.evaluate(
      `new DOMParser().parseFromString(${JSON.stringify(written)}, 'text/html').querySelector('#curl').textContent`,
    ),
  ).toBe(first)
  const address = wallet()
  await page.fill('#address', address)
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Copied').waitFor()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  expect(copied).toBe(first?.replace('0x…', address))
})

test('nothing stands in the way of anybody: in light and dark, and on a small screen', async () => {
  const page = await visit({ ...desktop, reducedMotion: 'reduce' })
  const look = async () => {
    const found: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1_180, 360]) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        found.push(...(await violations(page)))
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      }
    }
    return found
  }
  expect(await look()).toEqual([])
  await page.fill('#address', wrongCase(wallet()))
  await page.locator('.fault').waitFor()
  await page.locator('summary').click()
  expect(await look()).toEqual([])
  await page.fill('#address', wallet())
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('0.01 ETH is in the wallet').waitFor()
  expect(await look()).toEqual([])
})

/** What axe finds, by rule and place. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<AxeResults>('axe.run()')
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
}

/** Its first letter in the other case. */
function wrongCase(address: string): string {
  return address.replace(/[a-fA-F]/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}
