import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openAuditLog } from '../packages/engine/src/audit/audit.ts'
import { launchBrowser } from '../packages/support-api/src/page/browser.fixture.ts'
import { type Operated, openOperated, origin } from '../packages/tool-server/src/operator/operated-server.fixture.ts'
import { plan } from '../packages/tool-server/src/operator/operations.fixture.ts'
import { certificate, certificateKey } from '../packages/tool-server/src/transports/tls.fixture.ts'

let browser: Browser
let open: Operated
/** What no page may cause: words in the console, requests elsewhere, violations of the policy. */
let complaints: string[]
beforeEach(() => {
  complaints = []
})
afterEach(async () => {
  await browser.close()
  await open.close()
  if (complaints.length > 0) throw new Error(complaints.join('\n'))
})

const hostile = '</p><img src=x onerror=alert(1)>'
const owner = `0x${'1'.repeat(40)}` as const
const held = {
  owner,
  items: [
    { chain: 'base', version: 'v3', positionId: '7', pair: 'WETH/USDC', amount0: '1.5', amount1: '4500', place: 0.43 },
    { chain: 'base', version: 'v4', positionId: '8', pair: `${hostile}/USDC`, amount0: '1', amount1: '0', place: -0.2 },
    { chain: 'base', version: 'v2', positionId: '0xab', pair: 'A/B', amount0: '1', amount1: '2', place: null },
  ],
  unread: ['arbitrum'],
} as const
const check = {
  id: 'gas',
  status: 'warn',
  message: 'The wallet has little gas on base.',
  fix: 'Send it some.',
} as const
const passed = { id: 'policy', status: 'pass', message: 'It holds.', fix: null } as const
const setup = { profile: 'full', version: '0.2.0', checks: [check, passed] }
const alert = { alert: 'daily_spend', severity: 'warning', condition: '', since: '2026-01-01T00:00:00.000Z' } as const
const standing = [{ ...alert, summary: 'Four fifths of the daily limit are spent.' }]
const said = [{ plan: JSON.stringify({ ...plan, why: `Add 1.5 WETH ${hostile}` }) }, { id: 'op-2' }]
const shown = { held, setup, standing, operations: said }

async function visit(url: string, options: BrowserContextOptions = { viewport: { width: 1_180, height: 900 } }) {
  const context = await browser.newContext(options)
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.error('CSP ' + violatedDirective))",
  )
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('console', (message) => void complaints.push(message.text()))
  page.on('pageerror', (error) => void complaints.push(String(error)))
  const own = new URL(url).origin
  page.on('request', (request) => {
    if (!request.url().startsWith('data:') && new URL(request.url()).origin !== own) complaints.push(request.url())
  })
  await page.goto(url)
  return page
}

/** What axe finds, by rule and place. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<AxeResults>('axe.run()')
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

/** What gauges and tables show something of. */
async function spendAndWrite({ place: { store, dataDir } }: Operated) {
  const most = 10n ** 12n
  await store.ledger.reserve({
    id: 'r-1',
    requestId: 'q-1',
    principal: 'api-key:0011223344556677',
    chainId: 8453,
    amountUsdMicros: 1_700_000_000n,
    gasUsdMicros: 12_500_000n,
    limits: { perTransaction: most, perSession: most, daily: most, dailyGas: most },
    sessionIdleMs: 60_000,
    budgets: [{ name: 'loss', usdMicros: 15_000_000n, capUsdMicros: most }],
  })
  const audit = await openAuditLog({ path: join(dataDir, 'audit.jsonl'), now: Date.now })
  await audit.append({ event: 'tx.refused', tool: 'execute_swap', code: 'SPENDING_LIMIT_EXCEEDED' })
  const moved = { spentUsd: '12.5', lostUsd: '0.25', transactions: [`0x${'ab'.repeat(32)}`] }
  await audit.append({ event: 'tx.settled', tool: 'add_liquidity', ...moved })
  await audit.close()
}

describe('on this machine', () => {
  const linkHere = async () => `http://127.0.0.1:${open.port}/operator?token=${await open.token()}`

  test('it is read alone, stands in nobody’s way in light and dark, wide and small, and shows hostile text as text', async () => {
    browser = await launchBrowser()
    open = await openOperated({ from: 'here', ...shown })
    await spendAndWrite(open)
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1_180, 360]) {
        const page = await visit(await linkHere(), {
          viewport: { width, height: 800 },
          colorScheme,
        })
        await page.getByText('In range, 43 % of the way up').waitFor()
        expect(await page.locator('#gauge-spent').getAttribute('value')).toBe('1712.5')
        expect(await page.getByRole('row').allInnerTexts()).toHaveLength(3)
        expect(await page.locator('img, main button').count()).toBe(0)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        expect(await violations(page), `${colorScheme} ${width}`).toEqual([])
        await page.context().close()
      }
    }
  })

  test('it keeps itself fresh while somebody looks, and leaves open what was opened', async () => {
    browser = await launchBrowser()
    open = await openOperated({ from: 'here' })
    const page = await visit(await linkHere())
    await page.waitForURL(`http://127.0.0.1:${open.port}/operator`)
    await page.getByText('Everything that would be called').first().click()
    await open.place.operations.cancel('op-2', 'operator:test')
    await page.getByText('Awaiting a decision: 1').waitFor()
    expect(await page.locator('details[open]').count()).toBe(1)
    expect(await page.context().cookies()).toEqual([])
    await page.reload()
    await page.getByText('Awaiting a decision: 1').waitFor()
    await page.evaluate("for (const name of Object.keys(sessionStorage)) sessionStorage.setItem(name, 'over')")
    await page.getByText('This page has ended. Open it again with the link that svc status --page prints.').waitFor()
    complaints = complaints.filter((words) => !/status of 401/.test(words))
  })

  test('it says what to do where it was opened without a link, or with one that is over', async () => {
    browser = await launchBrowser()
    open = await openOperated({ from: 'here' })
    const link = await linkHere()
    const page = await visit(`http://127.0.0.1:${open.port}/operator`)
    await page.getByText('This page opens with a link, once: run svc status --page').waitFor()
    await page.goto(link)
    await page.getByText('Awaiting a decision: 2').waitFor()
    const other = await visit(link)
    await other.getByText('This link was used, is over, or is none. Run svc status --page').waitFor()
    expect(await other.textContent('#state')).toBe('')
    complaints = complaints.filter((words) => !/status of 401/.test(words))
  })

  test('a link that a page of another port of the machine leads to stays good', async () => {
    browser = await launchBrowser()
    open = await openOperated({ from: 'here' })
    const link = await linkHere()
    const context = await browser.newContext()
    await context.route('http://127.0.0.1:9/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${link}">Open</a>` }),
    )
    const page = await context.newPage()
    await page.goto('http://127.0.0.1:9/')
    const refused = page.waitForResponse(link)
    await page.getByRole('link').click()
    expect((await refused).status()).toBe(403)
    await (await visit(link)).getByText('Awaiting a decision: 2').waitFor()
  })
})

describe('from afar', () => {
  /** With a server behind the name of the tests' origin, and a device that holds passkeys. */
  async function openAfar() {
    const folder = mkdtempSync(join(tmpdir(), 'svc-operator-'))
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    writeFileSync(cert, certificate)
    writeFileSync(key, certificateKey)
    open = await openOperated({ ...shown, env: { SVC_TRUSTED_PROXIES: '', SVC_TLS_CERT: cert, SVC_TLS_KEY: key } })
    const spki = new X509Certificate(certificate).publicKey.export({ format: 'der', type: 'spki' })
    browser = await launchBrowser([
      `--host-resolver-rules=MAP ${new URL(origin).hostname}:443 127.0.0.1:${open.port}`,
      `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`,
    ])
    const page = await visit(`${origin}/operator`)
    const device = await page.context().newCDPSession(page)
    await device.send('WebAuthn.enable')
    const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const recognise = (isUserVerified: boolean) =>
      device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    return { page, recognise }
  }

  /** Makes a passkey on the page, and has the policy name it as its line says. */
  async function makePasskey(page: Page) {
    await page.fill('#name', 'ada')
    await page.getByRole('button', { name: 'Make a passkey' }).click()
    await page.getByText('The passkey is made.').waitFor()
    const line = (await page.textContent('#line')) ?? ''
    const [, id = '', publicKey = ''] = /^svc policy add-operator -- ada ([\w-]+)\.([\w-]+)$/.exec(line) ?? []
    const digest = createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex')
    expect(await page.textContent('#fingerprint')).toBe(digest.slice(0, 16))
    return { id, publicKey }
  }

  test('a passkey is made, named, signs in, and confirms what is decided', async () => {
    const { page, recognise } = await openAfar()
    expect(await violations(page)).toEqual([])
    const passkey = await makePasskey(page)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('No passkey of an operator has confirmed just this').waitFor()
    open.name({ ada: [passkey] })
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Signed in as ada').waitFor()
    expect(await violations(page)).toEqual([])

    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.message())
      void dialog.accept()
    })
    const first = page.locator('article[data-id="op-1"]')
    await first.getByRole('button', { name: 'Approve this plan' }).click()
    await page.getByText('Approved. It is carried out once').waitFor()
    expect(questions[0]).toContain(`Approve this? Add 1.5 WETH ${hostile}`)
    expect(await open.place.operations.byId('op-1')).toMatchObject({ state: 'approved', decidedBy: 'operator:ada' })
    await first.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled. It is not carried out.').waitFor()

    await recognise(false)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('No passkey confirmed it. Nothing was done.').waitFor()
    expect(await open.stateOf('op-2')).toBe('awaiting_approval')
    await recognise(true)

    await page.fill('#reason', 'odd transfers')
    await page.getByRole('button', { name: 'Pause signing' }).click()
    await page.getByText('by operator:ada, because "odd transfers"').waitFor()
    await page.getByRole('button', { name: 'Resume signing' }).click()
    await page.getByText('Signing is on.').waitFor()
    expect(open.world.audit.map(({ decision }) => decision)).toEqual([
      undefined,
      'approve',
      'cancel',
      'pause',
      'resume',
    ])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    complaints = complaints.filter((words) => !/status of 401/.test(words))
  })

  test('a form of another site brings no cookie and is turned away', async () => {
    const { page } = await openAfar()
    const passkey = await makePasskey(page)
    open.name({ ada: [passkey] })
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Signed in as ada').waitFor()
    const form = `<form method="post" action="${origin}/operator/decide" enctype="text/plain"><input name='{"decision":1,"x":"' value='"}'></form>`
    await page
      .context()
      .route('https://evil.example/**', (route) => route.fulfill({ contentType: 'text/html', body: form }))
    const [sender, reader] = [await page.context().newPage(), await page.context().newPage()]
    for (const other of [sender, reader]) await other.goto('https://evil.example/')
    const [sent, answered] = [
      sender.waitForRequest(`${origin}/operator/decide`),
      sender.waitForResponse(`${origin}/operator/decide`),
    ]
    await sender.evaluate('document.forms[0].submit()')
    expect((await (await sent).allHeaders())['cookie']).toBeUndefined()
    expect((await answered).status()).toBe(403)
    const read = `fetch('${origin}/operator/state', { credentials: 'include' }).then((a) => a.text(), () => 'unread')`
    expect(await reader.evaluate(read)).toBe('unread')
    expect(await open.stateOf('op-1')).toBe('awaiting_approval')
  })
})
