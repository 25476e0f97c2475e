import * as z from 'zod'
import type { Token } from '@svc/amm'
import { readTool } from '../../tool.ts'
import { chainInput, cursorInput, limitInput } from '../params.ts'
import { notesResult, pageOf } from '../results.ts'

export const searchTokens = readTool({
  name: 'search_tokens',
  title: 'Search tokens',
  description:
    "Finds tokens of this server's lists and of the operator's policy by symbol, name or address. get_token_info reads any other token by address.",
  scope: 'read:market',
  input: z.strictObject({
    query: z
      .string()
      .refine(
        (text) => /^[!-~](?:[ -~]{0,62}[!-~])?$/.test(text),
        'Accepted: 1 to 64 printable ASCII characters; "*": all',
      )
      .describe('Part of a symbol or name, or an address; "*": all'),
    chain: chainInput.optional(),
    limit: limitInput,
    cursor: cursorInput,
  }),
  output: z.object({
    items: z.array(
      z.object({
        address: z.string(),
        symbol: z.string(),
        name: z.string(),
        decimals: z.int(),
        chain: z.object({ id: z.int(), name: z.string() }),
        listed: z.boolean(),
      }),
    ),
    nextCursor: z.string().nullable(),
    notes: notesResult,
    timestamp: z.string(),
    source: z.string(),
  }),
  // The chains' own lists stand as long as the server; tokens of the policy are read, and what could not be read may be at the next call.
  restsOn: (_, { chains, tokens }) => (chains.list().some((chain) => tokens.isNamedByPolicy(chain)) ? [{}] : []),
}).handler(async (input, context) => {
  const chain = input.chain === undefined ? null : context.chains.get(input.chain)
  const { found, unread } = await context.tokens.search(input.query, chain, mostFound)
  const page = pageOf(found, input.limit, input.cursor)
  return {
    items: page.items.map((token) => ({
      ...identity(token),
      listed: true,
      chain: { id: token.chain.id, name: token.chain.name },
    })),
    nextCursor: page.nextCursor,
    notes: [
      ...unread.map(({ name }) => `The tokens that the policy lists on ${name} are left out: they could not be read.`),
      ...(found.length === 0 ? [onlyListed] : []),
    ],
    timestamp: new Date(context.now()).toISOString(),
    source: 'config',
  }
})

const onlyListed = 'Only listed tokens are searched; get_token_info and search_pools take the address of any other.'

/** Far more than all lists hold. */
const mostFound = 10_000

function identity({ address, symbol, name, decimals }: Token) {
  return { address, symbol, name, decimals }
}
