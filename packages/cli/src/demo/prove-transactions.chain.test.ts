import { PassThrough } from 'node:stream'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, http, publicActions, type Hash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { proveTransactions } from './agent.ts'
import { createTranscript } from './transcript.ts'

describe('the proof of the story', () => {
  const devnet = useDevnet()

  it('shows each transaction in full', async () => {
    const [own] = open()
    const hashes = [await own!.send(), await own!.send()]
    const text = await own!.prove(...hashes)
    for (const hash of hashes) expect(text).toMatch(new RegExp(`\\d+ +21,000  ${hash} a_tool`))
  })

  it('fails when one is missing, is of another wallet, or is not told of', async () => {
    const [own, other] = open()
    const hash = await own!.send()
    await expect(own!.prove(hash, `0x${'1'.repeat(64)}`)).rejects.toThrow('could not be found')
    await expect(own!.prove(hash, await other!.send())).rejects.toThrow("is not the wallet's")
    await own!.send()
    await expect(own!.prove(hash)).rejects.toThrow('The wallet sent 2 transactions, the story has 1')
  })

  /** Two wallets that have sent nothing yet, each with what it sends and the proof of it. */
  function open() {
    const { rpcUrl, accounts } = devnet()
    return accounts.slice(0, 2).map(({ address, privateKey }) => {
      const account = privateKeyToAccount(privateKey)
      const client = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions)
      const prove = async (...hashes: readonly Hash[]) => {
        const out = new PassThrough({ encoding: 'utf8' })
        const transactions = new Map(hashes.map((hash) => [hash, 'a_tool']))
        const transcript = createTranscript(out, { colours: false })
        await proveTransactions(transactions, { rpcUrl, wallet: address, transcript })
        return String(out.read())
      }
      const send = async () => {
        const { transactionHash } = await client.sendTransactionSync({ to: address, chain: null, gas: 21_000n })
        return transactionHash
      }
      return { prove, send }
    })
  }
})
