// node packages/support-api/scripts/pictures.mjs: makes docs/images/support-api-*.png from the built page in a real browser,
// over two local chains that stand where the public test chains do, and a history that is made up.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { startDevnet } from '@svc/devnet'
import { startIdentityProvider } from '@svc/devnet/identity-provider'
import { openStore } from '@svc/store'
import { openSupportApi, readConfig } from '@svc/support-api'
import { chromium as launcher } from 'playwright-core'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'

const images = new URL('../../../docs/images/', import.meta.url).pathname
const claimsPerDay = [3, 5, 4, 9, 6, 2, 1, 7, 11, 8, 14, 6, 4, 3]
const wallet = () => privateKeyToAddress(generatePrivateKey())
const closers = []

try {
  await pictures(await open())
} finally {
  for (const close of closers.toReversed()) await close()
}

async function open() {
  const dataDir = await mkdtemp(join(tmpdir(), 'pictures-'))
  closers.push(() => rm(dataDir, { recursive: true, force: true }))
  const key = generatePrivateKey()
  const env = {}
  for (const [chainId, ether] of [
    [84_532, '3.41'],
    [11_155_111, '0.874'],
  ]) {
    const devnet = await startDevnet({ chainId, history: false })
    closers.push(() => devnet.stop())
    await devnet.fund(privateKeyToAddress(key), { ETH: ether })
    await mineEachSecond(devnet.rpcUrl)
    env[`SVC_RPC_URL_${chainId}`] = devnet.rpcUrl
  }
  await fillHistory(join(dataDir, 'support-api'))
  const provider = await startIdentityProvider({ appIds: ['app-page'] })
  closers.push(() => provider.stop())
  const config = readConfig({
    SVC_LISTEN: '127.0.0.1:0',
    SVC_GATEWAY_URL: 'https://gateway.example',
    SVC_DATA_DIR: dataDir,
    SVC_IDENTITY_PROVIDER_URL: provider.url,
    SVC_FAUCET_PRIVATE_KEY: key,
    SVC_FAUCET_CHAINS: '84532,11155111',
    SVC_PAGE_APP_ID: 'app-page',
    LOG_LEVEL: 'warn',
    ...env,
  })
  const api = await openSupportApi(config)
  closers.push(() => api.close())
  return (await api.listen()).url
}

/** As the public chains do: a grant is confirmed by blocks after its own. */
async function mineEachSecond(rpcUrl) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_setIntervalMining', params: [1] })
  await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

/** Claims of other networks in the last fourteen days, all of them paid. */
async function fillHistory(directory) {
  const clock = { at: 0 }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const store = await openStore({ path: join(directory, 'state.db'), now: () => clock.at })
  for (const [index, claims] of claimsPerDay.entries()) {
    clock.at = Date.now() - (13 - index) * 86_400_000 - 60_000
    const request = (chainId) => ({
      chainId,
      address: wallet(),
      appId: 'app-other',
      network: '203.0.113.0/24',
      amountWei: 10n ** 16n,
    })
    const requests = [84_532, 11_155_111].flatMap((chainId, other) =>
      Array.from({ length: Math.ceil(claims / (1 + other)) }, () => request(chainId)),
    )
    for (const { claim } of await store.claims.make(requests, [])) {
      await store.claims.mark(claim.id, 'confirmed', `0x${'5c'.repeat(32)}`)
    }
  }
  await store.close()
}

async function pictures(url) {
  const browser = await launcher.launch({
    executablePath: await chromium.executablePath(),
    // One process for all ends with its first page.
    args: [...chromium.args.filter((arg) => arg !== '--single-process'), '--disable-background-networking'],
    headless: true,
  })
  closers.push(() => browser.close())
  const desktop = { viewport: { width: 1180, height: 900 } }
  const page = async (options) => {
    const opened = await (await browser.newContext(options)).newPage()
    await opened.goto(url)
    return opened
  }
  const shoot = (shown, name) => shown.screenshot({ path: join(images, `support-api-${name}.png`), fullPage: true })

  const light = await page(desktop)
  const paid = wallet()
  await light.fill('#address', paid)
  await light.getByText('has had nothing on this chain yet').waitFor()
  await shoot(light, 'page')
  await light.getByRole('button', { name: 'Send' }).click()
  await light.getByText('is in the wallet').waitFor()
  await shoot(light, 'confirmed')

  const again = await page({ ...desktop, javaScriptEnabled: false })
  await again.fill('#address', paid)
  await again.getByRole('button', { name: 'Send' }).click()
  await again.getByText('has had its grant').waitFor()
  await shoot(again, 'already-claimed')

  const small = await page({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
  await shoot(small, 'small-dark')
}
