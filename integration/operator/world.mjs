// What stands in for the world outside: a chain, the provider of managed wallets, and a receiver of webhooks; and a PostgreSQL.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startDevnet } from '@svc/devnet'
import { startPostgres } from '@svc/devnet/testing'
import { createWalletProviderServer } from '@svc/test-utils'

/** Writes the rows of its chain and the secret of the provider's app into `folder`. */
export async function openWorld(folder) {
  const [postgres, devnet, provider, hook] = await Promise.all([
    startPostgres({ ownServer: true }),
    startDevnet({ history: false }),
    createWalletProviderServer(),
    openHook(),
  ])
  let wallet
  await writeFile(join(folder, 'chains.json'), JSON.stringify([devnet.chain]))
  await writeFile(join(folder, 'app-secret'), `${provider.appSecret}\n`, { mode: 0o600 })
  return {
    rpcUrl: devnet.rpcUrl,
    providerUrl: provider.url,
    appId: provider.appId,
    vault: devnet.vaults.find(({ label }) => label === 'Agent USDC vault').address,
    hookUrl: hook.url,
    databaseUrl: postgres.url,
    fund: (address, amounts) => {
      wallet = address
      return devnet.fund(address, amounts)
    },
    /** How many transactions of the wallet that was funded the chain has. */
    sent: () => countTransactions(devnet.rpcUrl, wallet),
    /** The alert of that name as it came to the webhook, once it has. */
    heard: hook.heard,
    close: async () => {
      hook.close()
      await provider.close()
      await devnet.stop()
      await postgres.stop()
    },
  }
}

async function openHook() {
  const events = []
  let look = () => {}
  const hear = async (request, response) => {
    events.push(JSON.parse(await text(request)))
    response.end()
    look()
  }
  const server = createServer((request, response) => void hear(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const find = (name) => events.find(({ type, data }) => type === 'alert.raised' && data.alert === name)
  return {
    url: `http://127.0.0.1:${server.address().port}/svc`,
    heard: (name) =>
      new Promise((resolve) => {
        look = () => find(name) !== undefined && resolve(find(name))
        look()
      }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function countTransactions(rpcUrl, address) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionCount', params: [address, 'latest'] })
  const headers = { 'content-type': 'application/json' }
  const { result } = await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()
  return Number(result)
}
