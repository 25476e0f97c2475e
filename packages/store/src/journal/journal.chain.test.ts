import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createSender } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { openStore } from '../open-store.ts'

const devnet = useDevnet()
const target = '0x0000000000000000000000000000000000000b02'
const [store, wallet, signer] = ['@svc/store', '@svc/wallet/core', '@svc/wallet/service-wallet']

// The child signs twice, sends the first without noting it, says so, and is killed.
test('what a killed process signed is mined once, by the process after it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const path = join(folder, 'state.db')
  const { rpcUrl, accounts, chain } = devnet()
  const { privateKey, address } = accounts[1]!
  const program = `
const { openStore } = await import('${store}'), { createSender } = await import('${wallet}')
const { ServiceWallet } = await import('${signer}'), { createPublicClient, http } = await import('viem')
const { journal } = await openStore({ path: ${JSON.stringify(path)}, now: Date.now })
const chain = { id: ${chain.id}, confirmations: 1, blockTimeSeconds: 1 }
const client = createPublicClient({ transport: http('${rpcUrl}') })
const sender = createSender({ wallet: new ServiceWallet({ mode: 'local', privateKey: '${privateKey}' }), client, chain, journal })
const call = (requestId) => ({ requestId, step: 0, to: '${target}', data: '0x', valueWei: 1n, gasLimit: 30000n,
  maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n, reservationId: null, allow: async () => {} })
const first = await sender.sign(call('first')), second = await sender.sign(call('second'))
await client.request({ method: 'eth_sendRawTransaction', params: [first.rawTransaction] })
console.log('sent one, not the other')
setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  expect(child.exitCode).toBeNull()
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended

  const reopened = await openStore({ path, now: Date.now })
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const sender = createSender({
    wallet: new ServiceWallet({ mode: 'local', privateKey }),
    client,
    chain: { ...chain, confirmations: 1 },
    journal: reopened.journal,
  })
  const open = await reopened.journal.open(chain.id, address)
  expect(open.map((entry) => entry.requestId)).toEqual(['first', 'second'])
  await sender.reconcile()
  for (const entry of open)
    expect(await sender.confirm(entry, { timeoutMs: 60_000 })).toMatchObject({ status: 'final' })
  expect(await client.getBalance({ address: target })).toBe(2n)
  expect(await reopened.journal.open(chain.id, address)).toEqual([])
  await reopened.close()
  await rm(folder, { recursive: true })
})
