import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import type { FaucetChainReport } from '../faucet/report-faucet.ts'
import { claimPage } from './page-routes.ts'
import type { Outcome, PageView } from './view.ts'

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const txHash = `0x${'ab'.repeat(32)}`
const history = Array.from({ length: 14 }, (_, day) => ({
  day: `2026-01-${String(day + 1).padStart(2, '0')}`,
  claims: day === 12 ? 7 : 1,
}))
const chain: FaucetChainReport = {
  chainId: 84532,
  name: 'base-sepolia',
  address,
  amount: '10000000000000000',
  balance: '1239990000000000000',
  balanceFormatted: '1.23999',
  currency: 'ETH',
  claimsRemaining: 123,
  claimsLeftToday: 1_000,
  queueDepth: 2,
  oldestPendingSeconds: 3,
  lastClaimAt: '2026-01-14T12:30:00.000Z',
  lastBlock: '9',
  rpc: 'ok',
  enabled: true,
  reason: null,
  history,
}
const ether = { name: 'Ether', symbol: 'ETH', decimals: 18 }
const claim = {
  address,
  chainId: 84532,
  state: 'confirmed',
  txHash,
  claimedAt: Date.UTC(2026, 0, 14, 12, 30),
  explorerUrl: `https://explorer.example/tx/${txHash}`,
  failedId: null,
} as const

test('the limits and the balance stand before the button', async () => {
  const page = await render({})
  const button = page.indexOf('<button class="main"')
  expect(page.indexOf('9 of 10 left')).toBeGreaterThan(0)
  expect(page.indexOf('9 of 10 left')).toBeLessThan(button)
  expect(textOf(page)).toContain('Base Sepolia Serving')
  expect(textOf(page)).toContain('1.2399 ETH')
  expect(textOf(page)).toContain('Enough for 123 wallets')
  expect(textOf(page)).toContain('Left today 1,000 wallets')
  expect(textOf(page)).toContain('14 Jan, 12:30')
})

test.each([
  ['dry', { claimsRemaining: 0 }, 'Empty'],
  ['paused', { claimsLeftToday: 0 }, 'Paused'],
  ['rpc-down', { balance: null, balanceFormatted: null, claimsRemaining: null, rpc: 'down' }, 'Not answering'],
  ['signer', {}, 'Held up'],
] as const)('a chain that is %s says so', async (reason, facts, chip) => {
  const page = await render({ chains: [{ ...chain, ...facts, enabled: false, reason }] })
  expect(textOf(page)).toContain(`Base Sepolia ${chip}`)
  expect(page).toContain('class="notice"')
})

test.each([
  ['none', 'runs without a faucet'],
  ['away', 'does not answer for the moment'],
] as const)('a faucet that is %s', async (kind, words) => {
  expect(textOf(await render({ faucet: { kind } }))).toContain(words)
})

test('every chain can be chosen also while nothing behind the faucet answers', async () => {
  const page = await render({ faucet: { kind: 'away' } })
  expect(page).toMatch(/name="chainId" value="84532" checked/)
  expect(page).toContain('name="chainId" value="11155111"')
  expect(page).toContain('&quot;chainId&quot;: 84532')
})

test('the form stands at a chain that serves', async () => {
  const down = { ...chain, enabled: false, reason: 'rpc-down' } as const
  const sepolia = { ...chain, chainId: 11_155_111, name: 'sepolia' }
  expect(await render({ chains: [down, sepolia] })).toMatch(/value="11155111" checked/)
  expect(await render({ chains: [down] })).toMatch(/value="84532" checked/)
})

test('who has a claim that failed is told whom to ask, and for what', async () => {
  const failed = { ...claim, state: 'failed', failedId: 'a-claim' } as const
  expect(textOf(await render({ outcome: { kind: 'claim', claim: failed, chain } }))).toContain(
    'ask the operator to queue claim a-claim again',
  )
})

test.each([
  ['queued', { state: 'queued', txHash: null, explorerUrl: null }, 'Your claim waits in the queue', true],
  ['sent', { state: 'sent' }, '0.01 ETH is on its way', true],
  ['confirmed', {}, '0.01 ETH is in the wallet', false],
  ['failed', { state: 'failed' }, 'The chain turned this payment down', false],
] as const)('a claim that is %s', async (_state, facts, title, isWaiting) => {
  const page = await render({ outcome: { kind: 'claim', claim: { ...claim, ...facts }, chain } })
  expect(textOf(page)).toContain(title)
  // With a script the page looks again where it is told to, without one it reloads.
  expect(page.includes(`data-waiting="/?chainId=84532&amp;address=${address}"`)).toBe(isWaiting)
  expect(page.includes('<noscript><meta http-equiv="refresh" content="2"')).toBe(isWaiting)
  expect(page.includes(claim.explorerUrl)).toBe(facts !== undefined && !('explorerUrl' in facts))
})

test('a transaction without an explorer is no link', async () => {
  const page = await render({ outcome: { kind: 'claim', claim: { ...claim, explorerUrl: null }, chain } })
  expect(page).toContain(`<code>${txHash}</code>`)
  expect(page).not.toContain('<a href="https://')
})

test('who asks again is told when and by which transaction', async () => {
  const page = await render({ outcome: { kind: 'earlier', claim, chain } })
  expect(textOf(page)).toContain('Already claimed on 14 Jan 2026, 12:30 UTC')
  expect(page).toContain(`<a href="${claim.explorerUrl}"`)
})

test('a refusal names the fields and says what to do', async () => {
  const error = new ApiError('VALIDATION_FAILED', 'The request is not valid.', {
    details: [{ field: 'address', message: 'The value is not valid.', accepted: 'an address' }],
  })
  const fields = { address: address.toLowerCase().replace('f', 'F'), chainId: '', appId: '' }
  const page = await render({ outcome: { kind: 'refused', problem: error.toJSON() }, fields })
  expect(textOf(page)).toContain('Wallet address: an address')
  expect(page).toContain('<strong class="fault">The checksum does not hold')
  expect(page).toContain('VALIDATION_FAILED')
})

test('an address without a checksum is pointed out', async () => {
  const fields = { address: address.toLowerCase(), chainId: '84532', appId: '' }
  expect(await render({ outcome: { kind: 'free' }, fields })).toContain('This spelling has no checksum')
  expect(await render({ outcome: { kind: 'free' }, fields: { ...fields, address } })).toContain('The checksum holds.')
})

test('the app id is asked for where none is set, and never shown as a field where one is', async () => {
  expect(await render({ appId: null })).toContain('<label for="app-id">')
  const fixed = await render({ appId: 'app-page' })
  expect(fixed).toContain('<input type="hidden" name="appId" value="app-page"')
  expect(fixed).not.toContain('id="app-id"')
})

test('the history is a chart, a sentence and a table', async () => {
  const page = await render({})
  expect(page.match(/<rect /g)).toHaveLength(14)
  expect(page).toContain('Claims on Base Sepolia in the last 14 days: 20, most of them, 7, on 13 Jan.')
  expect(textOf(page)).toContain('13 Jan 7')
})

test('what a visitor typed is text, wherever it stands', async () => {
  const hostile = `"><script>alert(1)</script>`
  const page = await render({ appId: null, fields: { address: hostile, chainId: hostile, appId: `${hostile}'` } })
  expect(page.split('<script')).toHaveLength(2)
  expect(page).toContain('&quot;&gt;&lt;script&gt;')
})

test('style and script are those that the policy names, and nothing else may load', async () => {
  const { page, csp } = claimPage()(viewOf({}))
  const text = String(await page)
  const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? ''
  const script = /<script type="module">([^]*?)<\/script>/.exec(text)?.[1] ?? ''
  for (const source of [style, script]) {
    expect(source.length).toBeGreaterThan(1_000)
    expect(csp).toContain(`'sha256-${createHash('sha256').update(source).digest('base64')}'`)
  }
  expect(csp).toMatch(/^default-src 'none'; /)
  expect(csp).not.toContain('unsafe')
  expect(text).not.toMatch(/ (style|on\w+)="/)
  expect([...text.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, url]) => url)).toEqual(
    expect.arrayContaining(['/reference', '/openapi.json']),
  )
  expect(text).not.toMatch(/(?:src|action)="(?!\/")/)
})

type Shown = Omit<Partial<PageView>, 'chains'> & {
  readonly chains?: readonly FaucetChainReport[]
  readonly outcome?: Outcome | null
}

function viewOf({ chains = [chain], ...shown }: Shown): PageView {
  const limits = {
    claimsPerAddressAndChain: 1,
    perAppPerDay: 1_000,
    perNetworkPerDay: 10,
    perChainPerDay: 1_000,
  } as const
  const report = { status: 'ok', time: '2026-01-14T12:31:00.000Z', version: '0', chains, limits } as const
  return {
    faucet: { kind: 'open', report, networkLeft: 9 },
    chains: [
      { id: 84_532, name: 'base-sepolia', nativeCurrency: ether },
      { id: 11_155_111, name: 'sepolia', nativeCurrency: ether },
    ],
    fields: { address: '', chainId: '', appId: '' },
    appId: 'app-page',
    outcome: null,
    apiUrl: 'https://api.example',
    version: '0',
    ...shown,
  }
}

async function render(shown: Shown): Promise<string> {
  return String(await claimPage()(viewOf(shown)).page)
}

function textOf(page: string): string {
  return page
    .replace(/<(style|script)[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}
