import { printable as capped } from '@svc/runtime'

/** A text of unknown origin for a terminal. The reasons of a policy are long, and only what is endless is cut. */
export function printable(text: string): string {
  return capped(text, 2_000)
}
