// The folders that a start looks at.
import { existsSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

/** Every package, from the root; a file of the system or an empty folder beside them is none. */
export function packageFolders(root) {
  return readdirSync(join(root, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
}

/** Has a folder count as used now. Whoever may only read it starts all the same. */
export function markUsed(folder) {
  try {
    utimesSync(folder, new Date(), new Date())
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error
  }
}
