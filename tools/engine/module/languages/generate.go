package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blang/semver"
	"github.com/hashicorp/hcl/v2"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	rpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Pulumi's generators of one language.
type generator interface {
	sdkFiles(pkg *schema.Package, req *rpc.GeneratePackageRequest, loader schema.ReferenceLoader) (map[string][]byte, error)
	programFiles(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error)
	// The name by which the program's list of packages knows the SDK, and how the program imports it.
	names(pkg *schema.Package) (name, statement string, err error)
}

// A generated SDK.
type sdk struct {
	name string
	// Relative to the program.
	path string
}

// For `pulumi package add` and `pulumi package gen-sdk`.
func (h *host) GeneratePackage(
	ctx context.Context, req *rpc.GeneratePackageRequest,
) (*rpc.GeneratePackageResponse, error) {
	loader, done, err := loaderAt(req.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer done()
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(req.Schema), &spec); err != nil {
		return nil, err
	}
	options := schema.ValidationOptions{AllowDanglingReferences: true}
	pkg, diagnostics, err := schema.BindSpecWithContext(ctx, spec, loader, options)
	if err != nil {
		return nil, err
	}
	response := &rpc.GeneratePackageResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(diagnostics)}
	if diagnostics.HasErrors() {
		return response, nil
	}
	files, err := h.sdkFiles(pkg, req, loader)
	if err != nil {
		return nil, err
	}
	for name, content := range files {
		path := filepath.Join(req.Directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	return response, nil
}

// For `pulumi package add`.
func (h *host) Link(ctx context.Context, req *rpc.LinkRequest) (*rpc.LinkResponse, error) {
	loader, done, err := loaderAt(req.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer done()
	var sdks []sdk
	said := "You can import the SDK in your code with:\n\n"
	for _, linked := range req.Packages {
		pkg, err := load(ctx, loader, linked.Package)
		if err != nil {
			return nil, err
		}
		name, statement, err := h.names(pkg)
		if err != nil {
			return nil, err
		}
		sdks = append(sdks, sdk{name, linked.Path})
		said += "  " + statement + "\n"
	}
	return &rpc.LinkResponse{ImportInstructions: said}, h.link(ctx, req.Info, sdks)
}

// The code that `pulumi import` prints.
func (h *host) GenerateProgram(
	_ context.Context, req *rpc.GenerateProgramRequest,
) (*rpc.GenerateProgramResponse, error) {
	loader, done, err := loaderAt(req.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer done()
	parser := syntax.NewParser()
	for path, text := range req.Source {
		if err := parser.ParseFile(strings.NewReader(text), path); err != nil {
			return nil, err
		}
		if parser.Diagnostics.HasErrors() {
			return nil, parser.Diagnostics
		}
	}
	options := []pcl.BindOption{pcl.PreferOutputVersionedInvokes}
	if !req.Strict {
		options = append(options, pcl.NonStrictBindOptions()...)
	}
	program, diagnostics, err := pcl.BindProgram(parser.Files, loader, options...)
	if err != nil {
		return nil, err
	}
	response := &rpc.GenerateProgramResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(diagnostics)}
	if diagnostics.HasErrors() {
		return response, nil
	}
	if program == nil {
		return nil, errors.New("Pulumi's binder gave no program and no reason")
	}
	files, more, err := h.programFiles(program)
	response.Source = files
	response.Diagnostics = append(response.Diagnostics, plugin.HclDiagnosticsToRPCDiagnostics(more)...)
	return response, err
}

// The engine's loader of schemas, and what closes the connection.
func loaderAt(target string) (schema.ReferenceLoader, func(), error) {
	client, err := schema.NewLoaderClient(target)
	if err != nil {
		return nil, nil, err
	}
	return schema.NewCachedLoader(client), func() { _ = client.Close() }, nil
}

func load(ctx context.Context, loader schema.ReferenceLoader, asked *rpc.PackageDependency) (*schema.Package, error) {
	descriptor := &schema.PackageDescriptor{Name: asked.Name, DownloadURL: asked.Server}
	if asked.Version != "" {
		parsed, err := semver.ParseTolerant(asked.Version)
		if err != nil {
			return nil, fmt.Errorf("version of %s: %w", asked.Name, err)
		}
		descriptor.Version = &parsed
	}
	reference, err := schema.LoadPackageReferenceV2(ctx, loader, descriptor)
	if err != nil {
		return nil, err
	}
	return reference.Definition()
}
