return {
  {
    operation = "create",
    resource = {
      apiVersion = "snapshot.kubevirt.io/v1beta1",
      kind = "VirtualMachineSnapshot",
      metadata = {
        generateName = obj.metadata.name .. "-",
        namespace = obj.metadata.namespace,
        labels = { ["vmrender.io/snapshot-of"] = obj.metadata.name },
      },
      spec = { source = { apiGroup = "kubevirt.io", kind = "VirtualMachine", name = obj.metadata.name } },
    },
  },
}
