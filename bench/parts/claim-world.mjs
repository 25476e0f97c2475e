// What the support API stands on in its benchmarks: a PostgreSQL with ordinary settings, a local chain, the wallet
// provider's stand-in and a funded faucet key.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@svc/devnet'
import { startIdentityProvider } from '@svc/devnet/identity-provider'
import { startPostgres } from '@svc/devnet/testing'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'

export async function openClaimWorld(closers, report) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ ownServer: true })
  closers.push(() => postgres.stop())
  const devnet = await startDevnet({ history: false, onProgress: report })
  closers.push(() => devnet.stop())
  const provider = await startIdentityProvider({ appIds: ['app-one'] })
  closers.push(() => provider.stop())
  const key = generatePrivateKey()
  const faucet = privateKeyToAddress(key)
  await devnet.fund(faucet, { ETH: '1000' })
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet.chain]))
  const databaseUrl = await postgres.newSchema()
  const settings = {
    LOG_LEVEL: 'warn',
    SVC_LISTEN: '127.0.0.1:0',
    SVC_DATABASE_URL: databaseUrl,
    SVC_IDENTITY_PROVIDER_URL: provider.url,
    SVC_GATEWAY_URL: 'https://gateway.example',
    SVC_CHAINS_FILE: chainsFile,
    SVC_FAUCET_PRIVATE_KEY: key,
    SVC_FAUCET_CHAINS: `${devnet.chainId}`,
    SVC_FAUCET_PER_APP_DAY: '1000000',
    SVC_FAUCET_PER_NETWORK_DAY: '1000000',
    SVC_FAUCET_PER_CHAIN_DAY: '1000000',
    [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
  }
  return { postgres, databaseUrl, faucet, chainId: devnet.chainId, env: { SETTINGS: JSON.stringify(settings) } }
}
