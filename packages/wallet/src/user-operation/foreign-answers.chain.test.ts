import { createServer } from 'node:http'
import { createTestClient, http, parseEther } from 'viem'
import { expect, test } from 'vitest'
import { createEIP1193Provider } from '../provider/create-eip1193-provider.ts'
import { startFreePaymaster } from './free-paymaster.fixture.ts'
import { encodeCalls } from './choose-delegation.ts'
import { registeredIn, useSponsors } from './sponsors.fixture.ts'

const sponsors = useSponsors()
const { devnet, client, mined, options, agents } = sponsors
const thief = '0x00000000000000000000000000000000000bada5'

/** What a paymaster may add to its answer to have something else signed. */
const stealing = () => ({
  callData: encodeCalls([{ target: thief, data: '0x', valueWei: parseEther('2.5') }]),
})

test('a paymaster has no say in what the wallet signs', async () => {
  const paymaster = await startFreePaymaster(devnet(), stealing())
  try {
    await fundWallet()
    const { logs } = await mined(options({ paymaster: paymaster.url }))
    expect(registeredIn(logs)).toEqual([sponsors.wallet.address])
    expect(await client().getBalance({ address: thief })).toBe(0n)
  } finally {
    await paymaster.stop()
  }
})

test('nor in what it signs for a client of the provider', async () => {
  const paymaster = await startFreePaymaster(devnet(), stealing())
  try {
    await fundWallet()
    const { target: to, data } = options()
    const sponsor = { bundlerUrl: sponsors.bundler.url, paymasterUrl: paymaster.url }
    const provider = createEIP1193Provider(sponsors.wallet, { env: {}, sponsor })
    const batch = { version: '2.0.0', chainId: '0x7a69', atomicRequired: true, calls: [{ to, data }] }
    await provider.request({ method: 'wallet_sendCalls', params: [batch] })
    await expect.poll(agents).toBe(1n)
    expect(await client().getBalance({ address: thief })).toBe(0n)
  } finally {
    await paymaster.stop()
  }
})

test('who is asked to pay sends nobody elsewhere', async () => {
  const elsewhere = sponsors.paymaster.url
  const server = createServer((_request, response) => response.writeHead(307, { location: elsewhere }).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const sending = sponsors.wallet.sendUserOp(options({ paymaster: `http://127.0.0.1:${port}` }))
  await expect(sending).rejects.toMatchObject({ code: 'PAYMASTER_REFUSED' })
  expect(sponsors.paymaster.contexts()).toEqual([])
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function fundWallet(): Promise<void> {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.setBalance({ address: sponsors.wallet.address, value: parseEther('3') })
}
