/** What is installed with the published packages, as a CycloneDX document. */
export function sbom(): {
  readonly bomFormat: string
  readonly components: readonly {
    /** `pkg:npm/` and the name, encoded, `@` and the version. */
    readonly purl: string
    readonly hashes?: readonly unknown[]
    readonly licenses?: readonly unknown[]
  }[]
}
