import type { Devnet } from '@svc/devnet'
import { awaitReceipt } from '@svc/devnet'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createTestClient,
  createWalletClient,
  http,
  numberToHex,
  parseEther,
  publicActions,
  type Address,
  type Hex,
} from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'

/**
 * A paymaster that pays for whatever it is asked, so that nothing but the wallet's own care stands between its answers
 * and a signature. `answer` is added to what it answers; `payUntil` changes what its contract says of the time.
 */
export async function startFreePaymaster(devnet: Devnet, answer: Readonly<Record<string, unknown>> = {}) {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet.rpcUrl) }).extend(publicActions)
  // (context: bytes, validationData: uint256), the context empty: the time stands in the second word.
  const payUntil = (unixSeconds: number) => {
    const word = numberToHex(BigInt(unixSeconds) << 160n, { size: 32 }).slice(2)
    return node.setCode({ address: contract, bytecode: `0x60406000527f${word}60205260606000f3` })
  }
  await payUntil(0)
  const payer = createWalletClient({
    account: privateKeyToAccount(devnet.sponsors.executor.privateKey),
    transport: http(devnet.rpcUrl),
  })
  const deposited: Hex = await payer.writeContract({
    address: devnet.entryPoint,
    abi: entryPoint08Abi,
    functionName: 'depositTo',
    args: [contract],
    value: parseEther('0.1'),
    chain: null,
  })
  await awaitReceipt(node, deposited)
  const result = {
    paymaster: contract,
    paymasterData: '0x',
    paymasterVerificationGasLimit: numberToHex(100_000),
    paymasterPostOpGasLimit: numberToHex(1),
    ...answer,
  }
  const server = createServer((request, response) => void reply(request, response, result))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    payUntil,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const contract: Address = '0x00000000000000000000000000000000000f3ee0'

async function reply(request: IncomingMessage, response: ServerResponse, result: unknown): Promise<void> {
  const parts = await request.setEncoding('utf8').toArray()
  const asked: unknown = JSON.parse(parts.join(''))
  const id: unknown = typeof asked === 'object' && asked !== null ? Reflect.get(asked, 'id') : null
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}
