import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Address, createPublicClient, type Hash, http, isHash } from 'viem'
import * as z from 'zod'
import { type Transcript, number } from './transcript.ts'

/** A client of the server that writes every call into the transcript and remembers every transaction it caused. */
export async function openAgent(url: string, key: string, transcript: Transcript): Promise<Agent> {
  const client = new Client({ name: 'svc-demo', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const { tools } = await client.listTools()
  const transactions = new Map<Hash, string>()
  /**
   * As an agent should: what the server calls retryable, because the market moved or its chain was slow for example, is tried
   * again, unless it is what was asked for; so is a harvest of which a swap failed, which goes on under its key.
   */
  const answered = async (name: string, input: Input, awaited: readonly string[] = [], attempt = 1) => {
    const answer = await client.callTool({ name, arguments: input })
    if (answer.isError !== true) return { answer, refusal: null }
    const refusal = envelope.parse(answer['_meta'])['svc/error']
    const mayGoOn = refusal.retryable || (refusal.code === 'CONSOLIDATION_SWAP_FAILED' && 'idempotencyKey' in input)
    if (!mayGoOn || awaited.includes(refusal.code) || attempt === attempts) return { answer, refusal }
    transcript.aside(`  ${refusal.code}: ${refusal.message} Again.`)
    // Allowances that were made for it before the market moved, and taken back.
    for (const { txHash } of refusal.details) if (isTransactionHash(txHash)) transactions.set(txHash, name)
    return answered(name, input, awaited, attempt + 1)
  }
  const look: Agent['look'] = async (name, input, shape) => {
    const { answer, refusal } = await answered(name, input)
    if (refusal !== null) throw new Error(`${name} was refused: ${refusal.code}. ${refusal.message}`)
    for (const hash of sent.parse(answer.structuredContent).transactions) {
      if (!transactions.has(hash)) transactions.set(hash, name)
    }
    return shape.parse(answer.structuredContent)
  }
  const attempt: Agent['attempt'] = async (name, input, shape) => {
    const { answer, refusal } = await answered(name, input)
    return refusal ?? shape.parse(answer.structuredContent)
  }
  return {
    tools: tools.length,
    transactions,
    look,
    async call(name, input, shape) {
      transcript.asked(name, input)
      return look(name, input, shape)
    },
    async refused(name, input, codes) {
      transcript.asked(name, input)
      const { refusal } = await answered(name, input, codes)
      if (refusal === null) throw new Error(`${name} should have been refused: ${codes.join(' or ')}`)
      if (codes.includes(refusal.code)) return refusal
      throw new Error(
        `${name} should have been refused as ${codes.join(' or ')}, not as ${refusal.code}: ${refusal.message}`,
      )
    },
    async tryOut(name, input, shape) {
      transcript.asked(name, input)
      return attempt(name, input, shape)
    },
    attempt,
    close: () => client.close(),
  }
}

export type Agent = {
  /** How many tools the server showed it. */
  readonly tools: number
  /** The transactions it caused, in their order, each with the tool that sent it. */
  readonly transactions: ReadonlyMap<Hash, string>
  /** Calls a tool and gives what the story needs of its result; throws when the server refuses. */
  call<T>(name: string, input: Input, shape: z.ZodType<T>): Promise<T>
  /** The same without a word in the transcript. */
  look<T>(name: string, input: Input, shape: z.ZodType<T>): Promise<T>
  /** Calls a tool that must be refused by one of these codes; throws when it is not. */
  refused(name: string, input: Input, codes: readonly string[]): Promise<Refusal>
  /** Calls a tool that may be refused. */
  tryOut<T>(name: string, input: Input, shape: z.ZodType<T>): Promise<T | Refusal>
  /** The same without a word in the transcript. */
  attempt<T>(name: string, input: Input, shape: z.ZodType<T>): Promise<T | Refusal>
  close(): Promise<void>
}

/**
 * Asks the chain itself for every transaction of the story, and shows each in full. Throws when one is missing, failed
 * or is not the wallet's, or when the wallet sent any that the story does not tell of.
 */
export async function proveTransactions(
  transactions: ReadonlyMap<Hash, string>,
  options: { readonly rpcUrl: string; readonly wallet: Address; readonly transcript: Transcript },
): Promise<void> {
  const { rpcUrl, wallet, transcript } = options
  const client = createPublicClient({ transport: http(rpcUrl, { batch: true }) })
  transcript.line('block  gas used  transaction, sent by')
  for (const [hash, tool] of transactions) {
    const receipt = await client.getTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`Transaction ${hash} failed`)
    if (receipt.from.toLowerCase() !== wallet.toLowerCase()) throw new Error(`Transaction ${hash} is not the wallet's`)
    const numbers = `${String(receipt.blockNumber).padStart(5)}  ${number(Number(receipt.gasUsed)).padStart(8)}`
    transcript.line(`${numbers}  ${hash} ${tool}`)
  }
  const sent = await client.getTransactionCount({ address: wallet })
  if (sent !== transactions.size)
    throw new Error(`The wallet sent ${sent} transactions, the story has ${transactions.size}`)
}

const attempts = 3

type Input = Record<string, unknown>

const sent = z.object({ transactions: z.array(z.custom<Hash>(isTransactionHash)).default([]) })

const refusal = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  suggestion: z.string(),
  details: z.array(z.looseObject({})).default([]),
})

type Refusal = z.infer<typeof refusal>

const envelope = z.object({ 'svc/error': refusal })

function isTransactionHash(value: unknown): value is Hash {
  return typeof value === 'string' && isHash(value)
}
