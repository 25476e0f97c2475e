import { createServer } from 'node:http'
import {
  type Hex,
  hexToBigInt,
  hexToNumber,
  type TransactionSerializable,
  type TransactionSerializableGeneric,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'

/** A program that holds a key and signs over JSON-RPC, as far as the tests need one. */
export async function startRemoteSigner(
  account: PrivateKeyAccount,
  answers: RemoteAnswers = {},
): Promise<RemoteServer> {
  const calls: { method: string; params: readonly unknown[]; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, params } = JSON.parse(Buffer.concat(chunks).toString())
      calls.push({ method, params, authorization: request.headers.authorization })
      const own = answers.next?.()
      if (own !== undefined) {
        response.writeHead(own.status, own.headers).end(own.body)
        return
      }
      void sign(account, method, params).then((body) => response.writeHead(200).end(JSON.stringify(body)))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const bound = server.address()
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`,
    calls,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type RemoteAnswers = {
  next?: () => { status: number; body: string; headers?: Record<string, string> } | undefined
}

export type RemoteServer = {
  readonly url: string
  readonly calls: readonly { method: string; params: readonly unknown[]; authorization: string | undefined }[]
  readonly stop: () => Promise<void>
}

async function sign(account: PrivateKeyAccount, method: string, params: readonly never[]): Promise<object> {
  switch (method) {
    case 'eth_signTransaction':
      return { result: await account.signTransaction(fromWire(params[0]!)) }
    case 'personal_sign':
      return { result: await account.signMessage({ message: { raw: params[0]! } }) }
    case 'eth_signTypedData_v4':
      return { result: await account.signTypedData(JSON.parse(params[1]!)) }
    default:
      return { error: { code: -32_601, message: 'Method not found' } }
  }
}

const types = { '0x0': 'legacy', '0x1': 'eip2930', '0x2': 'eip1559', '0x4': 'eip7702' } as const

function fromWire(wire: Record<string, Hex> & { type: keyof typeof types }): TransactionSerializable {
  const quantity = (name: string) => (wire[name] === undefined ? undefined : hexToBigInt(wire[name]))
  const read = {
    type: types[wire.type],
    chainId: hexToNumber(wire['chainId']!),
    nonce: hexToNumber(wire['nonce']!),
    gas: quantity('gas'),
    gasPrice: quantity('gasPrice'),
    maxFeePerGas: quantity('maxFeePerGas'),
    maxPriorityFeePerGas: quantity('maxPriorityFeePerGas'),
    value: quantity('value'),
    to: wire['to'],
    data: wire['data'],
    accessList: wire['accessList'],
    authorizationList: authorizations(wire['authorizationList']),
  }
  const present = Object.entries(read).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as TransactionSerializableGeneric as TransactionSerializable
}

function authorizations(list: unknown): unknown {
  if (!Array.isArray(list)) return undefined
  return list.map(({ chainId, nonce, yParity, ...rest }: Record<string, Hex>) => ({
    ...rest,
    chainId: Number(chainId),
    nonce: Number(nonce),
    yParity: Number(yParity),
  }))
}
