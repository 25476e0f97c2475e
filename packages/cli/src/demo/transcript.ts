import type { Writable } from 'node:stream'
import { createPublicClient, http, isHash, type Hash } from 'viem'

/** Writes the story as text, and remembers every transaction hash that a result names. */
export function createTranscript(out: Writable): Transcript {
  const hashes = new Set<Hash>()
  const print = (line: string) => out.write(`${line}\n`)
  return {
    aside: (line) => print(`  . ${line}`),
    chapter(title, lines) {
      print(`\n== ${title}`)
      for (const line of lines) print(`   ${line}`)
    },
    call: (name, input) => print(`\n  > ${name} ${JSON.stringify(input)}`),
    result(result) {
      collectHashes(result, hashes)
      for (const [name, value] of Object.entries(result)) {
        if (!quiet.has(name)) print(`    ${name.padEnd(22)} ${shorten(value)}`)
      }
    },
    refusal: (error) =>
      print(`    refused: ${String(error['code'])}. ${String(error['message'])} ${String(error['suggestion'])}`),
    async proveHashes(rpcUrl) {
      const client = createPublicClient({ transport: http(rpcUrl, { batch: true }) })
      const receipts = await Promise.all([...hashes].map((hash) => client.getTransactionReceipt({ hash })))
      const mined = receipts.filter((receipt) => receipt.status === 'success').length
      if (mined !== hashes.size)
        throw new Error(`${hashes.size - mined} of ${hashes.size} transactions did not succeed`)
      print(`\nAll ${mined} transactions named above stand on the chain, each successful.`)
    },
  }
}

export type Transcript = {
  aside(line: string): void
  chapter(title: string, lines: readonly string[]): void
  call(name: string, input: Record<string, unknown>): void
  result(result: Record<string, unknown>): void
  refusal(error: Record<string, unknown>): void
  /** Looks every remembered hash up on the chain; throws when one is missing or failed. */
  proveHashes(rpcUrl: string): Promise<void>
}

/** Members that would drown the story. */
const quiet = new Set(['timestamp', 'source', 'chain'])

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 150 ? `${text.slice(0, 147)}...` : text
}

function collectHashes(value: unknown, hashes: Set<Hash>, name = ''): void {
  if (typeof value === 'string') {
    if (/^(txHash|hash)$/.test(name) && isHash(value)) hashes.add(value)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) collectHashes(member, hashes, Array.isArray(value) ? name : key)
  }
}
