import { createServer, type IncomingMessage } from 'node:http'
import type { Devnet } from '@svc/devnet'
import { createWalletClient, http, parseEther, type Address, type Hash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/**
 * The faucet of the support API on a local chain, in its wire format: one claim per wallet and chain, paid out of an
 * account of the chain with a transaction of its own.
 */
export async function startFaucet(devnet: Devnet): Promise<Faucet> {
  const claims = new Map<string, Claim>()
  const bodies: unknown[] = []
  const state: { fault: FaucetFault | null; holds: boolean } = { fault: null, holds: false }
  const account = privateKeyToAccount(devnet.accounts[9]!.privateKey)
  const bank = createWalletClient({ account, transport: http(devnet.rpcUrl) })
  const pay = async (claim: Claim): Promise<void> => {
    claim.txHash = await bank.sendTransaction({ to: claim.address, value: parseEther('0.01'), chain: null })
    claim.status = 'sent'
  }
  const answer = async (body: unknown): Promise<readonly [number, object]> => {
    bodies.push(body)
    if (state.fault !== null) return [state.fault.status, envelope(state.fault.code)]
    const { address, chainId } = body as { readonly address: Address; readonly chainId: number }
    const key = `${address} ${chainId}`.toLowerCase()
    const earlier = claims.get(key)
    if (earlier !== undefined) {
      const details = { claimId: earlier.claimId, txHash: earlier.txHash, claimedAt: earlier.claimedAt }
      return [409, { ...envelope('FAUCET_ALREADY_CLAIMED'), details }]
    }
    const claimedAt = new Date().toISOString()
    const claim: Claim = { claimId: `claim-${claims.size}`, status: 'queued', txHash: null, address, claimedAt }
    claims.set(key, claim)
    if (!state.holds) await pay(claim)
    const { claimId, status, txHash } = claim
    return [200, { status, claimId, txHash, address, chainId, amount: '0.01', currency: 'ETH', explorerUrl: null }]
  }
  const server = createServer((request, response) => {
    const handle = async (): Promise<void> => {
      const isClaim = request.method === 'POST' && request.url === '/v1/faucet/request'
      const [status, body] = isClaim ? await answer(await readJson(request)) : [404, envelope('NOT_FOUND')]
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    handle().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = server.address()
  return {
    url: `http://127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`,
    bodies: () => [...bodies],
    setFault: (fault) => {
      state.fault = fault
    },
    hold: () => {
      state.holds = true
    },
    release: async () => {
      for (const claim of claims.values()) if (claim.txHash === null) await pay(claim)
    },
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

export type Faucet = {
  readonly url: string
  /** What it was asked, in order. */
  bodies(): readonly unknown[]
  setFault(fault: FaucetFault | null): void
  /** Leaves claims in the queue until `release()`. */
  hold(): void
  release(): Promise<void>
  stop(): Promise<void>
}

export type FaucetFault = { readonly status: number; readonly code: string }

type Claim = {
  readonly claimId: string
  readonly address: Address
  readonly claimedAt: string
  status: 'queued' | 'sent'
  txHash: Hash | null
}

function envelope(code: string) {
  return { code, message: code, retryable: false, suggestion: '', details: {} }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}
