import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Hex } from 'viem'

/** The packages that hold the bytecode of the contracts. Their versions are part of the key of a cached chain. */
export const artifactPackages = [
  '@account-abstraction/contracts',
  '@uniswap/swap-router-contracts',
  '@uniswap/uniswapx-sdk',
  '@uniswap/universal-router',
  '@uniswap/v2-core',
  '@uniswap/v2-periphery',
  '@uniswap/v3-core',
  '@uniswap/v3-periphery',
  '@uniswap/v4-core',
  '@uniswap/v4-periphery',
  'viem',
] as const

export type ArtifactPackage = (typeof artifactPackages)[number]

/** Init code out of a package's JSON artifact, in any of the shapes the publishers use. Libraries are left unlinked. */
export function initCode(packageName: ArtifactPackage, file: string): Hex {
  const artifact: Artifact = JSON.parse(readFileSync(join(packageFolder(packageName), file), 'utf8'))
  const found = typeof artifact.bytecode === 'object' ? artifact.bytecode.object : artifact.bytecode
  const code = found ?? artifact.evm?.bytecode?.object
  if (!code) throw new Error(`${packageName}/${file} holds no bytecode`)
  return code.startsWith('0x') ? (code as Hex) : `0x${code}`
}

/** Init code that a package keeps as a string constant in a JavaScript file. */
export function initCodeConstant(packageName: ArtifactPackage, file: string, constant: string): Hex {
  const text = readFileSync(join(packageFolder(packageName), file), 'utf8')
  const code = new RegExp(`\\b${constant} = ["'](0x[0-9a-f]+)["']`).exec(text)?.[1]
  if (!code) throw new Error(`${packageName}/${file} holds no constant ${constant}`)
  return code as Hex
}

export function packageVersion(packageName: ArtifactPackage): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(packageFolder(packageName), 'package.json'), 'utf8'),
  )
  return manifest.version
}

type Artifact = {
  readonly bytecode?: string | { readonly object?: string }
  readonly evm?: { readonly bytecode?: { readonly object?: string } }
}

/** Where Node would find the package. Several of them block the resolution of files by their `exports` map. */
function packageFolder(packageName: ArtifactPackage): string {
  const folders = createRequire(import.meta.url).resolve.paths(packageName) ?? []
  const found = folders.map((folder) => join(folder, packageName)).find((folder) => existsSync(folder))
  if (!found) throw new Error(`The package ${packageName} is not installed`)
  return found
}
