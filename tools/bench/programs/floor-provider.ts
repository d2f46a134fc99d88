// The provider of `floor.ts`: the same inputs and outputs as ours, without a request. If the environment says how long
// operations take, each create waits that long. No provider can be faster.

type Props = Record<string, unknown>;

const OPERATION_MS = Number(process.env["FLOOR_OPERATION_MS"] ?? 0);
/** The rate limit: so many creates may begin at once, and then so many each second. 0: no limit. */
const PER_SECOND = Number(process.env["FLOOR_PER_SECOND"] ?? 0);

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

let first: number | undefined;
let begun = 0;

/** Resolves when the rate limit allows one more create. */
async function admitted(): Promise<void> {
  if (PER_SECOND === 0) return;
  first ??= performance.now();
  const at = first + (Math.max(0, begun++ - PER_SECOND + 1) / PER_SECOND) * 1000;
  await sleep(Math.max(0, at - performance.now()));
}

/** Letters that are the same for the same resource. */
function lettersOf(text: string): string {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash.toString(36).padStart(8, "0").slice(0, 8);
}

export const provider = {
  check(_olds: Props, news: Props) {
    const { __urn, ...args } = news;
    return Promise.resolve({ inputs: { ...args, __autoName: `${__urn}-${lettersOf(`${__urn}`)}`, restart: "no" } });
  },

  diff(_id: string, olds: Props, news: Props) {
    return Promise.resolve({ changes: !Object.keys(news).every((key) => isSame(olds[key], news[key])) });
  },

  async create(news: Props) {
    await admitted();
    if (OPERATION_MS > 0) await sleep(OPERATION_MS);
    const { __provider, restart, ...args } = news;
    const id = `ep-calm-field-a5${lettersOf(`${news["branchId"]}`)}`;
    const host = (suffix: string) => `${id}${suffix}.aws-us-east-2.aws.neon.tech`;
    const outs = {
      __provider,
      restart,
      ...args,
      name: news["__autoName"],
      type: "read_write",
      regionId: "aws-us-east-2",
      disabled: false,
      poolerEnabled: false,
      settings: {},
      host: host(""),
      poolerHost: host("-pooler"),
      proxyHost: "aws-us-east-2.aws.neon.tech",
      createdAt: "2026-01-01T00:00:00Z",
      poolerMode: "transaction",
      passwordlessAccess: true,
      provisioner: "k8s-neonvm",
      adopted: false,
      managed: Object.keys(args).filter((key) => !key.startsWith("_")),
    };
    return { id, outs };
  },

  read(id: string, props: Props) {
    const { managed, __autoName, restart } = props;
    const inputs = Object.fromEntries((managed as string[]).map((key) => [key, props[key]]));
    return Promise.resolve({ id, props, inputs: { ...inputs, __autoName, restart } });
  },

  update(_id: string, olds: Props, news: Props) {
    return Promise.resolve({ outs: { ...olds, ...news } });
  },

  delete: () => Promise.resolve(),
};
