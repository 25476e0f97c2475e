/** What is installed with the published packages, as a CycloneDX document. */
export function sbom(): {
  readonly bomFormat: string
  readonly components: readonly {
    readonly name: string
    readonly version: string
    readonly hashes?: readonly unknown[]
    readonly licenses?: readonly unknown[]
  }[]
}
