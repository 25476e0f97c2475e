export type Lock = {
  readonly version: string
  readonly packages: Readonly<Record<string, LockEntry>>
}

export type LockEntry = {
  readonly version?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export type ProductionPackage = {
  /** In the lockfile, as a path. */
  readonly place: string
  readonly name: string
  readonly version: string
  readonly license: string | null
}

export function publishedWorkspaces(
  manifests: Readonly<Record<string, { readonly private?: boolean | undefined }>>,
): readonly string[]

export function productionPackages(lock: Lock, workspaces: readonly string[]): readonly ProductionPackage[]
