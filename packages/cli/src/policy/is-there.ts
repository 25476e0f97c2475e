import { access } from 'node:fs/promises'

/** Whether anything has this name. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
