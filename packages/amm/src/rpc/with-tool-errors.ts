import type { PublicClient } from 'viem'
import { ToolError } from '../tool-error.ts'

/** The same client, whose actions reject with the `ToolError` behind viem's wrappers where there is one. */
export function withToolErrors(client: PublicClient): PublicClient {
  return new Proxy(client, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== 'function' || key === 'extend') return member
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args)
        return result instanceof Promise ? result.catch(unwrap) : result
      }
    },
  })
}

function unwrap(error: unknown): never {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ToolError) throw current
  }
  throw error
}
