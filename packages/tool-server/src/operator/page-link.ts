import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileDurably } from '@svc/runtime'
import * as z from 'zod'

/**
 * Makes the token of a link that opens the operator page of this machine once, within ten minutes, and leaves its digest for the server in the
 * data directory: whoever can write there may see the page. An earlier link that was not used opens nothing any more.
 */
export async function makePageLink(dataDir: string, now: number): Promise<PageLink> {
  const token = randomBytes(32).toString('base64url')
  const endsAt = now + linkMs
  await replaceFileDurably(join(dataDir, pageLinkName), `${JSON.stringify({ digest: digestOf(token), endsAt })}\n`)
  return { token, endsAt }
}

/** Whether a token is of the link that stands in the data directory, which it uses up. Without leaving the thread, so that it is used once. */
export function usePageLink(dataDir: string, token: string, now: number): boolean {
  const path = join(dataDir, pageLinkName)
  const link = readLink(path)
  if (link === null || link.endsAt <= now) return false
  if (!timingSafeEqual(Buffer.from(link.digest), Buffer.from(digestOf(token)))) return false
  rmSync(path)
  return true
}

export type PageLink = {
  readonly token: string
  /** Unix milliseconds. */
  readonly endsAt: number
}

export const pageLinkName = 'operator-link.json'

/** Ten minutes. */
const linkMs = 600_000

const linkSchema = z.strictObject({ digest: z.string().regex(/^[0-9a-f]{64}$/), endsAt: z.int() })

/** What is absent, of another form, or belongs to a user whose files the server cannot read, is no link. */
function readLink(path: string): z.output<typeof linkSchema> | null {
  try {
    return linkSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
