/** What a fresh emulator holds. The ids are fixed, so that what documentation says can be copied. */
export const SEED = {
  regionId: "aws-us-east-2",
  projectId: "quiet-meadow-40718263",
  branches: {
    /** The root branch; the primary is on it. */
    main: "br-copper-lagoon-a5n7v3hd",
    /** No compute. */
    dev: "br-silent-harbor-a5k2m8qz",
    /** No compute. */
    preview: "br-bright-orchard-a5t4j6wc",
  },
  /** Active, fixed at 0.25. */
  primaryId: "ep-amber-field-a5x7w3rt",
  /** A project whose root branch lost its compute, so that a primary can be created there. */
  second: { projectId: "calm-forest-51829374", branchId: "br-plain-river-a5d9g2kx" },
} as const;

export type Seed = typeof SEED;
