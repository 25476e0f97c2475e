// The world in which registrations are killed: one local chain, and everything around it that a registration asks.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@svc/devnet'
import { startFakeBundler, startPaymaster } from '@svc/devnet/sponsoring'
import { createWalletProviderServer } from '@svc/test-utils'
import { createPublicClient, http } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { startServices } from './registration-services.mjs'

export async function openRegistrationWorld({ report }) {
  const closers = []
  const keep = (part, stop) => {
    closers.push(() => stop(part))
    return part
  }
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    const root = mkdtempSync(join(tmpdir(), 'svc-registration-'))
    closers.push(() => rmSync(root, { recursive: true, force: true }))
    const devnet = keep(await startDevnet({ history: false, onProgress: report }), (part) => part.stop())
    const bundler = keep(await startFakeBundler({ devnet }), (part) => part.stop())
    const paymaster = keep(await startPaymaster({ devnet }), (part) => part.stop())
    const services = keep(await startServices(devnet), (part) => part.stop())
    const provider = keep(await createWalletProviderServer(), (part) => part.close())
    const chain = createPublicClient({ transport: http(devnet.rpcUrl), cacheTime: 0 })
    const sponsors = { bundlerUrl: bundler.url, paymasterUrl: paymaster.url }
    return { root, devnet, services, provider, sponsors, chain, addressOf: privateKeyToAddress, close }
  } catch (error) {
    await close()
    throw error
  }
}
