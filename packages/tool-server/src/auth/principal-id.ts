import { digest } from './digest.ts'

/** The id of whoever holds a key or token: stable, and free of it. */
export function principalId(stage: 'api-key' | 'bearer', secret: string): string {
  return `${stage}:${digest(secret).toString('hex').slice(0, 16)}`
}
