/** The calls of `@neondatabase/api-client` about who gets in: keys, permissions, and issuers of tokens. */
import type { Api } from "@neondatabase/api-client";
import { expect } from "vitest";
import { type RunningEmulator, SEED } from "../../emulator/index.js";

const P = SEED.projectId;
const { main } = SEED.branches;

export type Client = Api<unknown>;
type Answered = { status: number; data: unknown };
/** What is called; the last request is the one that is meant. Then the status, and something of the answer. */
export type Row = [
  name: string,
  call: (api: Client, em: RunningEmulator) => Promise<Answered>,
  status: number,
  data: object,
];

const GRANT = { email: "one@example.com" };
const GRANTED = { granted_to_email: GRANT.email, granted_at: expect.any(String) };
const JWKS = { jwks_url: "https://example.com/jwks.json", provider_name: "any", branch_id: main };

export const SHARING_ROWS: Row[] = [
  ["getAuthDetails", (api) => api.getAuthDetails(), 200, { auth_method: "api_key_user" }],
  [
    "listApiKeys",
    async (api) => {
      await api.createApiKey({ key_name: "ci" });
      return api.listApiKeys();
    },
    200,
    [{ name: "ci", created_by: { name: "Emulated User" } }],
  ],
  [
    "createApiKey",
    (api) => api.createApiKey({ key_name: "ci" }),
    200,
    { name: "ci", id: expect.any(Number), key: expect.stringMatching(/^napi_/) },
  ],
  [
    "revokeApiKey",
    async (api) => api.revokeApiKey((await api.createApiKey({ key_name: "ci" })).data.id),
    200,
    { name: "ci", revoked: true },
  ],
  [
    "listProjectPermissions",
    async (api) => {
      await api.grantPermissionToProject(P, GRANT);
      return api.listProjectPermissions(P);
    },
    200,
    { project_permissions: [GRANTED] },
  ],
  ["grantPermissionToProject", (api) => api.grantPermissionToProject(P, GRANT), 200, GRANTED],
  [
    "revokePermissionFromProject",
    async (api) => api.revokePermissionFromProject(P, (await api.grantPermissionToProject(P, GRANT)).data.id),
    200,
    { ...GRANTED, revoked_at: expect.any(String) },
  ],
  [
    "getProjectJwks",
    async (api) => {
      await api.addProjectJwks(P, JWKS);
      return api.getProjectJwks(P);
    },
    200,
    { jwks: [JWKS] },
  ],
  ["addProjectJwks", (api) => api.addProjectJwks(P, JWKS), 201, { jwks: JWKS, operations: [] }],
  [
    "deleteProjectJwks",
    async (api) => api.deleteProjectJwks(P, (await api.addProjectJwks(P, JWKS)).data.jwks.id),
    200,
    JWKS,
  ],
];
