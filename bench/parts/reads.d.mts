import type { Devnet } from '@svc/devnet'

/** Every read tool with an input that has much to read; `call` makes the writes that it rests on. */
export declare function readsOf(world: {
  readonly devnet: Devnet
  readonly call: (tool: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>
}): Promise<readonly (readonly [tool: string, input: Readonly<Record<string, unknown>>])[]>
