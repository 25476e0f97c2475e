import { useDevnet } from '@svc/devnet/testing'
import { encodeFunctionData, erc20Abi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { openChain } from '../open-chain.ts'
import { payFromWallet } from './pay-from-wallet.ts'

const devnet = useDevnet()

test('a call that the contract refuses is not signed; an endpoint that does not answer is not taken for one', async () => {
  const signer = privateKeyToAccount(generatePrivateKey())
  await devnet().fund(signer.address, { ETH: '1' })
  const journal = createMemoryJournal({ now: Date.now })
  const pay = (rpcUrl: string) => {
    const { chain, client } = openChain({ chainId: 31_337, rpcUrls: { 31_337: rpcUrl } }, {})
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [signer.address, 1n] })
    const { address: target } = devnet().tokens.find(({ symbol }) => symbol === 'USDC')!
    return payFromWallet({ signer, chain, client, journal }, { requestId: 'request', target, data })
  }
  await expect(pay(devnet().rpcUrl)).rejects.toMatchObject({
    code: 'CALL_REVERTS',
    message: expect.stringMatching(/^The contract refuses the call: \S/),
    details: { reason: expect.any(String) },
  })
  await expect(pay('http://127.0.0.1:9')).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  expect(await journal.byRequest('request')).toEqual([])
})
