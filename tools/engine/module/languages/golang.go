package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	codegen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	rpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"golang.org/x/mod/modfile"
)

type golang struct{}

// Compiles the program. Two things are not as in Pulumi's host, for speed. Without `-trimpath`, Go's cache has what the
// build of this host compiled. And the binary is kept in PULUMI_HOME, so Go links an unchanged program once.
func (golang) program(ctx context.Context, engine string, req *rpc.RunRequest) (*exec.Cmd, error) {
	home := os.Getenv("PULUMI_HOME")
	if home == "" {
		return nil, errors.New("this host needs PULUMI_HOME, where it keeps the compiled program")
	}
	binary := filepath.Join(home, "go-program")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags", "-w -s", "-o", binary)
	build.Dir = req.Info.ProgramDirectory
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("go build of the program: %w", err)
	}
	config, secretKeys, err := configOf(req)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, binary)
	command.Dir = req.Pwd
	command.Env = append(
		os.Environ(),
		pulumi.EnvMonitor+"="+req.MonitorAddress,
		pulumi.EnvEngine+"="+engine,
		pulumi.EnvOrganization+"="+req.Organization,
		pulumi.EnvProject+"="+req.Project,
		pulumi.EnvPulumiRootDirectory+"="+req.Info.RootDirectory,
		pulumi.EnvStack+"="+req.Stack,
		pulumi.EnvDryRun+"="+strconv.FormatBool(req.DryRun),
		pulumi.EnvParallel+"="+strconv.Itoa(int(req.Parallel)),
		pulumi.EnvConfig+"="+config,
		pulumi.EnvConfigSecretKeys+"="+secretKeys,
	)
	return command, nil
}

func (golang) install(ctx context.Context, info *rpc.ProgramInfo, stdout, stderr io.Writer) error {
	command := exec.CommandContext(ctx, "go", "mod", "tidy")
	command.Dir = info.ProgramDirectory
	command.Stdout, command.Stderr = stdout, stderr
	return command.Run()
}

func (golang) link(_ context.Context, info *rpc.ProgramInfo, sdks []sdk) error {
	path := filepath.Join(info.ProgramDirectory, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	module, err := modfile.Parse(path, text, nil)
	if err != nil {
		return err
	}
	for _, one := range sdks {
		if err := module.AddReplace(one.name, "", "./"+filepath.ToSlash(one.path), ""); err != nil {
			return err
		}
	}
	if text, err = module.Format(); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func (golang) sdkFiles(
	pkg *schema.Package, req *rpc.GeneratePackageRequest, _ schema.ReferenceLoader,
) (map[string][]byte, error) {
	if len(req.ExtraFiles) > 0 {
		return nil, errors.New("Go SDKs take no extra files")
	}
	return codegen.GeneratePackage("pulumi-language-go", pkg, req.LocalDependencies)
}

func (golang) programFiles(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error) {
	return codegen.GenerateProgram(program)
}

func (golang) names(pkg *schema.Package) (name, statement string, err error) {
	if err := pkg.ImportLanguages(map[string]schema.Language{"go": codegen.Importer}); err != nil {
		return "", "", err
	}
	name = codegen.ExtractModulePath(pkg.Reference())
	return name, fmt.Sprintf("import %q", codegen.ExtractImportBasePath(pkg.Reference())), nil
}
