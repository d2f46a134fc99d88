import * as pulumi from "@pulumi/pulumi";

export interface AppArgs {
  /** The connection string for requests, password included. */
  databaseUrl: pulumi.Input<string>;
  /** The connection string for migrations. */
  directUrl: pulumi.Input<string>;
}

/** Variables of the application's environment. */
export interface AppEnv {
  DATABASE_URL: string;
  DIRECT_URL: string;
}

/**
 * Stands for whatever gets the connection string in your program: a Kubernetes Secret, the variables of a function. A value that is
 * derived from a secret is secret too, without any code here.
 */
export class App extends pulumi.ComponentResource {
  readonly env: pulumi.Output<AppEnv>;

  constructor(name: string, args: AppArgs, opts?: pulumi.ComponentResourceOptions) {
    super("example:app:App", name, args, opts);
    this.env = pulumi
      .output(args)
      .apply(({ databaseUrl, directUrl }) => ({ DATABASE_URL: databaseUrl, DIRECT_URL: directUrl }));
    this.registerOutputs({ env: this.env });
  }
}
