// The support API as far as a registration asks it, in its wire format: it pins a card under the address of its file, and
// pays one grant per wallet out of an account of the local chain. Counts what it gave to whom.
import { createServer } from 'node:http'
import { canonicalBytes, contentAddress, registrationFile } from '@svc/wallet'
import { createWalletClient, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export async function startServices({ rpcUrl, accounts }) {
  const pins = new Map()
  const claims = new Map()
  const account = privateKeyToAccount(accounts[9].privateKey)
  const bank = createWalletClient({ account, transport: http(rpcUrl) })
  let last = Promise.resolve()
  const pay = (to) => {
    const paid = last.then(() => bank.sendTransaction({ to, value: parseEther('0.01'), chain: null }))
    last = paid.catch(() => undefined)
    return paid
  }
  const routes = {
    '/v1/ipfs/pin': async ({ agentCard }) => {
      const cid = contentAddress(canonicalBytes(registrationFile(agentCard)))
      pins.set(agentCard.name, new Set(pins.get(agentCard.name)).add(cid))
      return [200, { cid, uri: `ipfs://${cid}`, gatewayUrl: `https://gateway.example/ipfs/${cid}` }]
    },
    '/v1/faucet/request': async ({ address, chainId }) => {
      const earlier = claims.get(address)
      if (earlier !== undefined) {
        const details = { claimId: address, txHash: await earlier, claimedAt: '2026-01-01T00:00:00.000Z' }
        return [409, { code: 'FAUCET_ALREADY_CLAIMED', message: 'claimed', retryable: false, suggestion: '', details }]
      }
      claims.set(address, pay(address))
      const txHash = await claims.get(address)
      return [200, { status: 'sent', claimId: address, txHash, address, chainId, amount: '0.01', currency: 'ETH' }]
    },
  }
  const answer = async (request, response) => {
    const [status, body] = (await routes[request.url]?.(await readJson(request))) ?? [404, { code: 'NOT_FOUND' }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The addresses under which a card of this name was pinned. */
    pinned: (name) => [...(pins.get(name) ?? [])],
    isGranted: (address) => claims.has(address),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function readJson(request) {
  const parts = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}
